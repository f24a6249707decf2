import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadTrust, type TrustEntry } from '../../../src/certificates/trust/trust.ts'
import type { Realm } from '../../../src/domain/realm.ts'
import { PortariaError } from '../../../src/platform/errors.ts'
import { createAuthority, type IssuedCertificate } from '../../support/authority.ts'
import { hasOpenssl } from '../../support/openssl.ts'

const folder = mkdtempSync(join(tmpdir(), 'portaria-trust-'))
/** Behind the beginning of every certificate that is made here. */
const now = new Date(Date.now() + 60_000)

afterAll(() => rmSync(folder, { recursive: true }))

function refusalOf(entries: TrustEntry[]): PortariaError {
  try {
    loadTrust(entries, now)
  } catch (error) {
    if (error instanceof PortariaError) return error
    throw error
  }
  throw new Error('the chains were accepted')
}

it('refuses to trust no one in particular, and says how to install a chain', () => {
  const error = refusalOf([])
  expect(error.code).toBe('trust_missing')
  expect(error.message).toMatch(/Get the service's certificate chain .* under callbacks\.trust/)
})

it('a folder without a chain is reported as one', () => {
  const error = refusalOf([{ environment: 'production', chain: folder }])
  expect(error.message).toBe(
    `${folder} (callbacks.trust) holds no chain: put one there, as a PEM file whose name ends in .pem`,
  )
})

describe.skipIf(!hasOpenssl)('with certificates made by openssl', () => {
  let root: IssuedCertificate
  let rootRenewed: IssuedCertificate
  let rootRenamed: IssuedCertificate
  let rootWithoutRight: IssuedCertificate
  let production: IssuedCertificate
  let productionRenewed: IssuedCertificate
  let below: IssuedCertificate
  let sandbox: IssuedCertificate
  let other: IssuedCertificate
  let otherBelow: IssuedCertificate
  let leaf: IssuedCertificate
  let underUnmarked: IssuedCertificate
  let impostor: IssuedCertificate
  let expired: IssuedCertificate
  let future: IssuedCertificate
  let crossSigned: IssuedCertificate

  beforeAll(() => {
    const { issue } = createAuthority(join(folder, 'authority'))
    root = issue({ name: 'root', ca: true })
    rootRenewed = issue({ name: 'root-renewed', subject: '/CN=root', sameKeyAs: root, ca: true })
    rootRenamed = issue({ name: 'root-renamed', sameKeyAs: root, ca: true })
    rootWithoutRight = issue({
      name: 'root-without-right',
      subject: '/CN=root',
      sameKeyAs: root,
      extensions: ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,cRLSign'],
    })
    production = issue({ name: 'production', issuer: root, ca: true })
    productionRenewed = issue({
      name: 'production-renewed',
      subject: '/CN=Production',
      sameKeyAs: production,
      issuer: root,
      ca: true,
    })
    below = issue({ name: 'below', issuer: production, ca: true })
    sandbox = issue({ name: 'sandbox', issuer: root, ca: true })
    other = issue({ name: 'other', ca: true, keyType: 'rsa:2048' })
    otherBelow = issue({ name: 'other-below', issuer: other, ca: true })
    leaf = issue({ name: 'leaf', issuer: root })
    // Without key identifiers only the signature tells an impostor of the same name.
    const bare = ['basicConstraints=critical,CA:TRUE', 'authorityKeyIdentifier=none', 'subjectKeyIdentifier=none']
    const unmarked = issue({ name: 'unmarked', subject: '/CN=unmarked', extensions: bare })
    underUnmarked = issue({ name: 'under', issuer: unmarked, extensions: bare })
    impostor = issue({ name: 'impostor', subject: '/CN=unmarked', extensions: bare })
    const day = 86_400_000
    const before = (days: number) => new Date(now.getTime() - days * day)
    expired = issue({ name: 'expired', ca: true, notBefore: before(20), notAfter: before(10) })
    crossSigned = issue({
      name: 'cross-signed',
      subject: '/CN=production',
      sameKeyAs: production,
      issuer: expired,
      ca: true,
    })
    future = issue({ name: 'future', ca: true, notBefore: before(-10), notAfter: before(-20) })
  })

  let files = 0
  function entry(environment: Realm, ...certificates: { cert: string }[]): TrustEntry {
    const chain = join(folder, `${++files}.pem`)
    writeFileSync(chain, certificates.map(({ cert }) => cert).join('\n'))
    return { environment, chain }
  }

  function issuersOf(...entries: TrustEntry[]): string[] {
    return loadTrust(entries, now).trust.issuing.map(
      ({ environment, certificate }) => `${environment} ${certificate.subject}`,
    )
  }

  it('lets only those certificates issue callers that issued no other certificate of their file', () => {
    expect(issuersOf(entry('production', below, production, root))).toEqual(['production CN=below'])
    expect(issuersOf(entry('production', root, sandbox, production))).toEqual([
      'production CN=sandbox',
      'production CN=production',
    ])
  })

  it('counts a root only when it is alone', () => {
    expect(issuersOf(entry('production', root))).toEqual(['production CN=root'])
    expect(issuersOf(entry('production', root, root))).toEqual(['production CN=root'])
    const { trust, warnings } = loadTrust([entry('production', production, root, other)], now)
    expect(trust.issuing.map(({ certificate }) => certificate.subject)).toEqual(['CN=production'])
    expect(warnings).toEqual([expect.stringMatching(/the root "CN=other" issued no certificate of the file/)])
  })

  it('counts a renewed root with the same key as the same root', () => {
    expect(issuersOf(entry('production', root, rootRenewed))).toEqual(['production CN=root', 'production CN=root'])
    expect(issuersOf(entry('production', production, root, rootRenewed))).toEqual(['production CN=production'])
  })

  it('refuses a file of several roots that issued nothing', () => {
    expect(refusalOf([entry('production', root, other)]).message).toMatch(/several roots .* give each root a file/)
  })

  it('gives TLS every certificate once, and keeps environments with a shared root apart', () => {
    const entries = [entry('production', production, production, root), entry('sandbox', sandbox, root)]
    const { trust, warnings } = loadTrust(entries, now)
    expect(warnings).toEqual([])
    expect(trust.authorities).toEqual([production.cert, root.cert, sandbox.cert])
    expect(trust.issuing.map(({ environment, certificate, file }) => [environment, certificate.subject, file])).toEqual(
      [
        ['production', 'CN=production', entries[0]?.chain],
        ['sandbox', 'CN=sandbox', entries[1]?.chain],
      ],
    )
  })

  it('gives TLS no certificate below an expired root where the same authority is below a valid one too', () => {
    const [below, valid] = [entry('production', crossSigned, expired), entry('production', production, root)]
    const { trust } = loadTrust([below, valid], now)
    expect(trust.authorities).toEqual([expired.cert, production.cert, root.cert])
    expect(trust.issuing).toHaveLength(2)
    expect(loadTrust([below], now).trust.authorities).toEqual([crossSigned.cert, expired.cert])
    const earlier = new Date(now.getTime() - 15 * 86_400_000)
    expect(loadTrust([below, valid], earlier).trust.authorities).toHaveLength(4)
  })

  it('allows several chains in a file and several files of an environment', () => {
    expect(
      issuersOf(
        entry('production', production, root, otherBelow, other),
        entry('production', below, production, root),
        entry('production', production, root),
      ),
    ).toEqual(['production CN=production', 'production CN=other-below', 'production CN=below'])
  })

  it('refuses a certificate that is not a CA', () => {
    const error = refusalOf([entry('production', leaf, root)])
    expect(error.code).toBe('certificate_invalid')
    expect(error.message).toMatch(/"CN=leaf" is not a CA certificate \(CA:TRUE is missing\).*remove it from the file/)
  })

  it('refuses a chain that does not reach its root in the same file, even when another file has it', () => {
    const error = refusalOf([entry('production', below, production), entry('production', root)])
    expect(error.details).toEqual([
      expect.stringMatching(/"CN=below" does not lead to a self-signed root .* add the certificate of its issuer/),
      expect.stringMatching(/"CN=production" does not lead .* its issuer "CN=root"/),
    ])
  })

  it('refuses a chain whose issuer has only the right name, not the right key', () => {
    const error = refusalOf([entry('production', underUnmarked, impostor)])
    expect(error.message).toMatch(/"CN=under" does not lead to a self-signed root/)
  })

  it('refuses a chain whose issuer has the right key, but another name or no right to issue', () => {
    expect(refusalOf([entry('production', production, rootRenamed)]).message).toMatch(/"CN=production" does not lead/)
    const withoutRight = refusalOf([entry('production', production, rootWithoutRight)])
    expect(withoutRight.details[0]).toMatch(/"CN=production" does not lead/)
  })

  it('refuses one issuing certificate in two environments and names both files', () => {
    const entries = [entry('production', production, root), entry('sandbox', production, root)]
    const error = refusalOf(entries)
    expect(error.code).toBe('configuration_invalid')
    for (const { chain } of entries) expect(error.message).toContain(chain)
    expect(error.message).toMatch(
      /keep it in the file of one environment under callbacks\.trust, or tell its callers apart by one list of allow/,
    )
  })

  it('refuses one issuing certificate in two institutions, renewed or not, and allows a shared root', () => {
    const bank = (name: string, issuing: { cert: string }) => entry(`${name}/production`, issuing, root)
    for (const issuing of [production, productionRenewed]) {
      const { code, message } = refusalOf([bank('bank-a', production), bank('bank-b', issuing)])
      expect([code, message]).toEqual([
        'configuration_invalid',
        expect.stringMatching(
          /\(bank-a\/production\) and in \S+ \(bank-b\/production\), so the institution of a caller would be ambiguous: keep it in the file of one institution, or tell its callers apart by one list of allow/,
        ),
      ])
    }
    const { trust } = loadTrust([bank('bank-a', production), bank('bank-b', sandbox)], now)
    expect(trust.issuing.map(({ environment }) => environment)).toEqual(['bank-a/production', 'bank-b/production'])
    const twice = refusalOf([entry('bank-a/production', production, root), entry('bank-a/sandbox', production, root)])
    expect(twice.message).toMatch(/the environment of a caller .* under institutions\.bank-a\.trust, or/)
  })

  it('takes one issuing certificate in two institutions whose rules tell their callers apart', () => {
    const bank = (name: string, serialNumber: string) => ({
      ...entry(`${name}/production`, production, root),
      allow: {
        subjectCommonNames: [],
        subjectAlternativeNames: [],
        fingerprints: [],
        subject: { serialNumber: [serialNumber] },
      },
    })
    const { trust } = loadTrust([bank('bank-a', '1'), bank('bank-b', '2')], now)
    expect(trust.issuing.map(({ environment }) => environment)).toEqual(['bank-a/production', 'bank-b/production'])
    expect(refusalOf([bank('bank-a', '1'), bank('bank-b', '1')]).code).toBe('configuration_invalid')
  })

  it('refuses a renewed issuing certificate, same name and key, in the other environment', () => {
    const error = refusalOf([entry('production', production, root), entry('sandbox', productionRenewed, root)])
    expect(error.code).toBe('configuration_invalid')
  })

  it('only warns of certificates that are out of date', () => {
    const { trust, warnings } = loadTrust([entry('production', expired, expired), entry('sandbox', future)], now)
    expect(trust.issuing).toHaveLength(2)
    expect(warnings).toEqual([
      expect.stringMatching(/"CN=expired" expired on \d{4}-.*install the service's current chain/),
      expect.stringMatching(/"CN=future" is not valid before \d{4}-/),
    ])
  })

  it('reports all problems of all files together', () => {
    const missing: TrustEntry = { environment: 'sandbox', chain: join(folder, 'nowhere.pem') }
    const error = refusalOf([
      missing,
      entry('sandbox', leaf, root),
      entry('production', { cert: '-----BEGIN CERTIFICATE-----' }, { cert: '-----BEGIN CERTIFICATE-----' }),
      entry('sandbox', sandbox, root),
      entry('production', sandbox, root),
    ])
    expect(error.code).toBe('certificate_invalid')
    expect(error.message).toBe('The chains of callers have 5 problems')
    expect(error.details).toEqual([
      expect.stringMatching(/nowhere\.pem \(callbacks\.trust\) does not exist/),
      expect.stringMatching(/"CN=leaf" is not a CA/),
      expect.stringMatching(/block 1 has no END line/),
      expect.stringMatching(/block 2 has no END line/),
      expect.stringMatching(/"CN=sandbox" issues callers in /),
    ])
  })
})
