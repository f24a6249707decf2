import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { areToldApart, type CallerRules, issuerOfCaller } from '../../src/domain/trust.ts'
import { createAuthority, type IssuedCertificate } from '../support/authority.ts'
import { hasOpenssl } from '../support/openssl.ts'

const NO_RULES: CallerRules = { subjectCommonNames: [], subjectAlternativeNames: [], fingerprints: [] }

/** Two common names; the first is on one level with another attribute. */
const SUBJECT = '/O=Service/CN=calls+OU=a \\+ CN=forged/CN=Bank "X", S.A. \\+ <Pay>; #1\\\\'

describe.skipIf(!hasOpenssl)('who lets a caller in', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-trust-rules-'))
  let root: IssuedCertificate
  let issuer: IssuedCertificate
  let caller: X509Certificate
  let untrusted: X509Certificate

  beforeAll(() => {
    const { issue } = createAuthority(folder)
    root = issue({ name: 'root', ca: true })
    issuer = issue({ name: 'issuer', issuer: root, ca: true })
    // The comma is one that could be misread for the end of the name.
    const sections =
      '[names]\nDNS.1=calls.example\nURI.1=urn:a\\,DNS:b\nURI.2=DNS:other.example\nemail.1=calls@example.com\n'
    const extensions = ['extendedKeyUsage=clientAuth', 'subjectAltName=@names']
    caller = new X509Certificate(issue({ name: 'caller', issuer, subject: SUBJECT, extensions, sections }).cert)
    untrusted = new X509Certificate(issue({ name: 'untrusted', issuer: root }).cert)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  function letsIn(allow: Partial<CallerRules>, certificate = caller) {
    const issuing = {
      environment: 'production' as const,
      certificate: new X509Certificate(issuer.cert),
      file: 'production.pem',
      allow: { ...NO_RULES, ...allow },
      deny: { fingerprints: [], serials: [] },
      mayCall: false,
      verifiesWithoutUsage: null,
      revocation: null,
    }
    const found = issuerOfCaller(certificate, [issuing], { now: Date.now(), hasClientUse: true })
    return typeof found === 'string' ? found : found.environment
  }

  const SUBJECT_OF_BANK = '/C=BR/O=Bank/serialNumber=00000000000191/organizationIdentifier=OFBBR-1/UID=b0c1/CN=calls'

  it.each<[string, boolean, CallerRules['subject']]>([
    ['its organization identifier', true, { organizationIdentifier: ['OFBBR-2', 'OFBBR-1'] }],
    ['its serial number and its UID', true, { serialNumber: ['00000000000191'], UID: ['b0c1'] }],
    ['another serial number', false, { serialNumber: ['00000000000192'] }],
    ['a part of the value', false, { serialNumber: ['0000000000019'] }],
    ['the value of another attribute', false, { UID: ['00000000000191'] }],
    ['one of two attributes', false, { organizationIdentifier: ['OFBBR-1'], O: ['Other'] }],
    ['an attribute that it does not have', false, { OU: ['calls'] }],
  ])('with rules about the subject: %s (%s)', (_what, isAllowed, subject = {}) => {
    const { cert } = createAuthority(folder).issue({ name: 'bank', issuer, subject: SUBJECT_OF_BANK })
    expect(letsIn({ subject }, new X509Certificate(cert))).toBe(isAllowed ? 'production' : 'caller_not_allowed')
  })

  it('what looks like an attribute inside a value is none', () => {
    const subject = '/O=x\\\\, serialNumber=1/OU=São João/CN=a+OU=serialNumber=1'
    const { cert } = createAuthority(folder).issue({ name: 'forged', issuer, subject })
    const judge = (rules: CallerRules['subject'] = {}) => letsIn({ subject: rules }, new X509Certificate(cert))
    expect(judge({ serialNumber: ['1'] })).toBe('caller_not_allowed')
    expect(judge({ OU: ['serialNumber=1'] })).toBe('production')
    expect(judge({ OU: ['São João'] })).toBe('production')
  })

  it('a caller with the names of two institutions is of neither', () => {
    const { cert } = createAuthority(folder).issue({
      name: 'both',
      issuer,
      subject: '/serialNumber=1/serialNumber=2/CN=a',
    })
    const of = (environment: 'a/production' | 'b/production', value: string) => ({
      environment,
      certificate: new X509Certificate(issuer.cert),
      file: `${value}.pem`,
      allow: { ...NO_RULES, subject: { serialNumber: [value] } },
      deny: { fingerprints: [], serials: [] },
      mayCall: false,
      verifiesWithoutUsage: null,
      revocation: null,
    })
    const judge = (...values: string[]) => {
      const issuing = [of('a/production', values[0] as string), of('b/production', values[1] as string)]
      const found = issuerOfCaller(new X509Certificate(cert), issuing, { now: Date.now(), hasClientUse: true })
      return typeof found === 'string' ? found : found.environment
    }
    expect([judge('1', '2'), judge('1', '3'), judge('3', '2')]).toEqual([
      'caller_not_allowed',
      'a/production',
      'b/production',
    ])
  })

  it.each<[boolean, Partial<CallerRules>, Partial<CallerRules>]>([
    [true, { subject: { serialNumber: ['1'] } }, { subject: { serialNumber: ['2'] } }],
    [true, { subjectCommonNames: ['a'] }, { subjectCommonNames: ['b'] }],
    [false, { subject: { serialNumber: ['1', '2'] } }, { subject: { serialNumber: ['2'] } }],
    [false, { subject: { serialNumber: ['1'] } }, { subject: { UID: ['2'] } }],
    [false, { subjectCommonNames: ['a'] }, {}],
    [false, { subjectAlternativeNames: ['DNS:a'] }, { subjectAlternativeNames: ['a'] }],
  ])('rules tell callers apart (%s): %j and %j', (expected, one, other) => {
    expect(areToldApart({ ...NO_RULES, ...one }, { ...NO_RULES, ...other })).toBe(expected)
  })

  it('without rules, every caller that the issuing certificate signed', () => {
    expect(letsIn({})).toBe('production')
    expect(letsIn({}, untrusted)).toBe('sibling_issuer')
    expect(letsIn({}, new X509Certificate(issuer.cert))).toBe('caller_is_ca')
  })

  it.each([
    ['its common name', { subjectCommonNames: ['other', 'calls'] }],
    ['its common name with special characters', { subjectCommonNames: ['Bank "X", S.A. + <Pay>; #1\\'] }],
    [
      'its common name as the gateway shows it',
      { subjectCommonNames: [String.raw`Bank \"X\"\, S.A. \+ \<Pay\>\; #1\\`] },
    ],
    ['an alternative name without its type', { subjectAlternativeNames: ['calls.example'] }],
    ['an alternative name with its type', { subjectAlternativeNames: ['DNS:calls.example'] }],
    ['a name with a comma in it', { subjectAlternativeNames: ['URI:urn:a,DNS:b'] }],
    ['another kind of alternative name', { subjectAlternativeNames: ['email:calls@example.com'] }],
    ['two rules that both fit', { subjectCommonNames: ['calls'], subjectAlternativeNames: ['calls.example'] }],
  ])('with rules, one that fits: %s', (_what, allow) => {
    expect(letsIn(allow)).toBe('production')
  })

  it('an app of a private authority only with a rule', () => {
    const { issue } = createAuthority(folder)
    const issueFor = (name: string) => {
      const extensions = ['extendedKeyUsage=clientAuth', `subjectAltName=DNS:a.example,URI:${name}`]
      return new X509Certificate(issue({ name: name.replaceAll(':', '-'), issuer, extensions }).cert)
    }
    for (const name of ['urn:portaria:app', 'urn:portaria:forwarding', 'urn:portaria:client:cli_1']) {
      const app = issueFor(name)
      expect(letsIn({}, app)).toBe('caller_not_allowed')
      expect(letsIn({ subjectAlternativeNames: ['a.example'] }, app)).toBe('production')
      expect(letsIn({ subjectAlternativeNames: ['b.example'] }, app)).toBe('caller_not_allowed')
    }
    expect(letsIn({}, issueFor('urn:other:app'))).toBe('production')
  })

  it('with rules, one with the fingerprint', () => {
    expect(letsIn({ fingerprints: [caller.fingerprint256.replaceAll(':', '').toLowerCase()] })).toBe('production')
    expect(letsIn({ fingerprints: ['00'.repeat(32)] })).toBe('caller_not_allowed')
  })

  it.each([
    ['a part of the name', { subjectCommonNames: ['call'] }],
    ['the name in another case', { subjectCommonNames: ['CALLS'] }],
    ['the organization in place of the common name', { subjectCommonNames: ['Service'] }],
    ['a common name inside another attribute', { subjectCommonNames: ['forged'] }],
    ['a URI that looks like a host with its type', { subjectAlternativeNames: ['DNS:other.example'] }],
    ['the rest of a name behind a comma', { subjectAlternativeNames: ['DNS:b'] }],
    ['a name of another type', { subjectAlternativeNames: ['email:calls.example'] }],
    ['one of two rules', { subjectCommonNames: ['calls'], subjectAlternativeNames: ['other.example'] }],
  ])('no one for %s', (_what, allow) => {
    expect(letsIn(allow)).toBe('caller_not_allowed')
  })
})
