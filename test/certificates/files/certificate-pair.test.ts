import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Bundle } from '../../../src/certificates/files/bundle.ts'
import { selectPair } from '../../../src/certificates/files/certificate-pair.ts'
import { createAuthority, type IssuedCertificate, type IssueOptions } from '../../support/authority.ts'
import { hasOpenssl } from '../../support/openssl.ts'
import { refusalOf } from './bundles.ts'

const DAY_MS = 86_400_000
const SERVER = ['basicConstraints=CA:FALSE', 'extendedKeyUsage=serverAuth', 'subjectAltName=DNS:callbacks.example.com']
const folder = mkdtempSync(join(tmpdir(), 'portaria-pair-'))
/** Behind the beginning of every certificate that is made here. */
const now = new Date(Date.now() + 60_000)
const before = (days: number) => new Date(now.getTime() - days * DAY_MS)

afterAll(() => rmSync(folder, { recursive: true }))

const keyOf = ({ keyFile }: IssuedCertificate) => createPrivateKey(readFileSync(keyFile))

function bundle(certificates: readonly IssuedCertificate[], keys: readonly IssuedCertificate[]): Bundle {
  return {
    file: 'bundle.pem',
    format: 'PEM',
    certificates: certificates.map(({ cert }) => new X509Certificate(cert)),
    keys: keys.map(keyOf),
    requests: [],
  }
}

const REQUIREMENTS = { now, usage: 'server', isIncompleteAllowed: false } as const

function select(certificates: readonly IssuedCertificate[], keys: readonly IssuedCertificate[], requirements = {}) {
  const pair = selectPair([bundle(certificates, keys)], null, { ...REQUIREMENTS, ...requirements })
  return { chain: pair.chain.map(({ subject }) => subject), remarks: pair.remarks }
}

async function refusal(certificates: readonly IssuedCertificate[], keys: readonly IssuedCertificate[]) {
  const error = await refusalOf(() => select(certificates, keys))
  return error.details.length > 0 ? error.details : [error.message]
}

describe.skipIf(!hasOpenssl)('a certificate and its key (with openssl)', () => {
  let issue: (options: IssueOptions) => IssuedCertificate
  let root: IssuedCertificate
  let upper: IssuedCertificate
  let lower: IssuedCertificate
  let leaf: IssuedCertificate
  let other: IssuedCertificate

  beforeAll(() => {
    issue = createAuthority(folder).issue
    root = issue({ name: 'root', ca: true })
    upper = issue({ name: 'upper', ca: true, issuer: root })
    lower = issue({ name: 'lower', ca: true, issuer: upper })
    leaf = issue({ name: 'leaf', issuer: lower, extensions: SERVER })
    other = issue({ name: 'other', issuer: lower, extensions: SERVER })
  })

  it('come with the chain in order, leaf first, without the root', () => {
    expect(select([root, lower, leaf, upper], [leaf])).toEqual({
      chain: ['CN=leaf', 'CN=lower', 'CN=upper'],
      remarks: ['left out: the root "CN=root", which callers have themselves'],
    })
  })

  it('leave out, with a line, authorities that do not belong to the chain', () => {
    const untrusted = issue({ name: 'untrusted', ca: true })
    expect(select([untrusted, root, lower, leaf, upper], [leaf])).toEqual({
      chain: ['CN=leaf', 'CN=lower', 'CN=upper'],
      remarks: [
        'left out: "CN=untrusted", which does not belong to the chain',
        'left out: the root "CN=root", which callers have themselves',
      ],
    })
  })

  it('are refused with a missing intermediate, which is named, wherever the gap is', async () => {
    const missing = (issuer: string, certificate: string) => [
      expect.stringMatching(
        `^the certificate of "CN=${issuer}", which issued "CN=${certificate}", is missing: add it as another FILE \\(your authority`,
      ),
    ]
    expect(await refusal([leaf], [leaf])).toEqual(missing('lower', 'leaf'))
    expect(await refusal([leaf, upper, root], [leaf])).toEqual(missing('lower', 'leaf'))
    expect(await refusal([leaf, lower, root], [leaf])).toEqual(missing('upper', 'lower'))
    expect(select([upper, leaf, lower], [leaf], { isIncompleteAllowed: true }).chain).toHaveLength(3)
  })

  it('are taken where a private root alone is missing, which is not installed', () => {
    expect(select([leaf, lower, upper], [leaf])).toEqual({
      chain: ['CN=leaf', 'CN=lower', 'CN=upper'],
      remarks: [
        '"CN=root", which issued "CN=upper", is not among the files, and is no public root: callers must know it',
      ],
    })
  })

  it('say where a missing intermediate is published, if the certificate does', async () => {
    const published = issue({
      name: 'published',
      issuer: lower,
      extensions: [...SERVER, 'authorityInfoAccess=caIssuers;URI:http://ca.example/lower.crt'],
    })
    expect(await refusal([published], [published])).toEqual([
      expect.stringContaining('(it is published at http://ca.example/lower.crt)'),
    ])
  })

  it('are refused when an issuer only has the right name', async () => {
    const bare = ['basicConstraints=critical,CA:TRUE', 'authorityKeyIdentifier=none', 'subjectKeyIdentifier=none']
    const real = issue({ name: 'real', subject: '/CN=same', extensions: bare })
    const impostor = issue({ name: 'impostor', subject: '/CN=same', extensions: bare })
    const own = issue({ name: 'own', issuer: real, extensions: [...SERVER, 'authorityKeyIdentifier=none'] })
    expect(await refusal([own, impostor], [own])).toEqual([expect.stringMatching(/of "CN=same".* is missing/)])
    expect(select([real, own], [own]).chain).toEqual(['CN=own'])
  })

  it('are refused when the key is another one’s, or there is none, or several', async () => {
    expect(await refusal([root, upper, lower, leaf], [other])).toEqual([
      expect.stringMatching(
        /^the private key is not the key of "CN=leaf": give the key that the request was made with/,
      ),
    ])
    expect(await refusal([leaf], [])).toEqual([expect.stringMatching(/hold no private key: name the one .*--key FILE/)])
    expect(await refusal([leaf], [leaf, other])).toEqual([expect.stringMatching(/hold 2 private keys/)])
    expect(await refusal([], [leaf])).toEqual([expect.stringMatching(/hold no certificate/)])
  })

  it('are taken with the installed key when the files hold none', () => {
    const pair = selectPair([bundle([leaf, lower, upper, root], [])], keyOf(leaf), REQUIREMENTS)
    expect(pair.key.equals(keyOf(leaf))).toBe(true)
  })

  it('are refused when the files hold several leaves, also when a renewed one has the same key', async () => {
    const renewed = issue({
      name: 'renewed',
      subject: '/CN=leaf',
      issuer: lower,
      sameKeyAs: leaf,
      days: 9,
      extensions: SERVER,
    })
    for (const [second, named] of [
      [other, /"CN=leaf" \(until .*\), "CN=other" \(until/],
      [renewed, /"CN=leaf" \(until .*\), "CN=leaf" \(until/],
    ] as const) {
      const [text] = await refusal([root, upper, lower, leaf, second], [leaf])
      expect(text).toMatch(/hold several certificates that could be meant: .* give only the one to install/)
      expect(text).toMatch(named)
    }
  })

  it('are refused when two certificates with CA:TRUE have the key', async () => {
    const own = issue({ name: 'own-authority', ca: true })
    const renewed = issue({ name: 'own-renewed', ca: true, sameKeyAs: own })
    expect(await refusal([own, renewed], [own])).toEqual([
      expect.stringMatching(/several certificates that could be meant: "CN=own-authority" .*, "CN=own-renewed"/),
    ])
  })

  it('are refused while any certificate of the chain is out of date, and each is named', async () => {
    const old = issue({ name: 'old', ca: true, issuer: root, notBefore: before(20), notAfter: before(10) })
    const early = issue({
      name: 'early',
      issuer: old,
      notBefore: before(-10),
      notAfter: before(-20),
      extensions: SERVER,
    })
    expect(await refusal([root, old, early], [early])).toEqual([
      expect.stringMatching(/^"CN=early" is not valid before .*: get a current one, or check this machine's clock$/),
      expect.stringMatching(/^"CN=old" expired on /),
    ])
  })

  it('come through the issuer that is in date, where an expired one has the same name and key', () => {
    const gone = { notBefore: before(20), notAfter: before(10) }
    const expired = issue({
      name: 'lower-old',
      subject: '/CN=lower',
      ca: true,
      issuer: upper,
      sameKeyAs: lower,
      ...gone,
    })
    expect(select([leaf, expired, lower, upper, root], [leaf])).toEqual({
      chain: ['CN=leaf', 'CN=lower', 'CN=upper'],
      remarks: [expect.stringMatching(/left out: "CN=lower"/), expect.stringMatching(/left out: the root/)],
    })
  })

  it('are refused for a use that the certificate does not allow, or that TLS refuses', async () => {
    const client = issue({ name: 'client', issuer: lower })
    const weak = issue({ name: 'weak', issuer: lower, keyType: 'rsa:1024', extensions: SERVER })
    const chain = [lower, upper, root]
    expect(await refusal([client, ...chain], [client])).toEqual([
      expect.stringMatching(/"CN=client" may not be used as a server certificate: have one issued with that/),
    ])
    expect(select([client, ...chain], [client], { usage: 'client' })).toEqual({
      chain: ['CN=client', 'CN=lower', 'CN=upper', 'CN=root'],
      remarks: [],
    })
    expect(await refusal([weak, ...chain], [weak])).toEqual([
      expect.stringMatching(/cannot be used for TLS .*2048 bits/),
    ])
  })

  it('are taken self-signed or without a host name, but not without a word', () => {
    const alone = issue({ name: 'alone', extensions: ['basicConstraints=CA:FALSE'] })
    expect(select([alone], [alone])).toEqual({
      chain: ['CN=alone'],
      remarks: [
        '"CN=alone" is self-signed: only callers that install it trust it',
        '"CN=alone" names no host (subject alternative names): callers refuse such a server',
      ],
    })
  })
})
