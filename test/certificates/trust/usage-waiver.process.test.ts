import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createUsageWaiver } from '../../../src/certificates/trust/usage-waiver.ts'
import { createAuthority, type IssuedCertificate, type IssueOptions } from '../../support/authority.ts'
import { hasOpenssl } from '../../support/openssl.ts'

const DAY_MS = 86_400_000
const CA = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,digitalSignature']
const SERVER = ['keyUsage=critical,digitalSignature', 'extendedKeyUsage=serverAuth']

/** What the listener's tests cannot tell apart from OpenSSL's own verdict, and from the rules before it. */
describe.skipIf(!hasOpenssl)('a caller whose certificate is not for clients', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-usage-waiver-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const authority = createAuthority(folder)
  let issued = 0
  const issue = (options: Omit<IssueOptions, 'name'>) => authority.issue({ name: `issued-${++issued}`, ...options })
  let root: IssuedCertificate
  let issuing: IssuedCertificate
  let verifies: ReturnType<typeof createUsageWaiver>
  // Not while the tests are collected, which also happens where openssl is missing.
  beforeAll(() => {
    root = issue({ subject: '/CN=root', extensions: CA, days: 20 })
    issuing = issue({ subject: '/CN=issuing', issuer: root, extensions: CA, days: 10 })
    verifies = createUsageWaiver(parsed(issuing), [issuing, root].map(parsed))
  })
  const parsed = ({ cert }: IssuedCertificate) => new X509Certificate(cert)
  const isVerified = (options: Omit<IssueOptions, 'name'>, inDays = 0) =>
    verifies(parsed(issue({ issuer: issuing, extensions: SERVER, ...options })), Date.now() + inDays * DAY_MS)

  it('is verified by its issuer, its dates and those above it', () => {
    expect(isVerified({})).toBe(true)
    expect(isVerified({ issuer: root })).toBe(false)
    expect(isVerified({ issuer: issue({ subject: '/CN=issuing', extensions: CA }) })).toBe(false)
    expect([isVerified({ days: 5 }, 4), isVerified({ days: 5 }, 6), isVerified({}, -1)]).toEqual([true, false, false])
    // The root and the issuing certificate end first.
    expect([isVerified({}, 9), isVerified({}, 11)]).toEqual([true, false])
  })

  it.each([
    ['a CA', { extensions: [...CA, 'extendedKeyUsage=serverAuth'] }],
    ['without the right to sign digitally', { extensions: ['keyUsage=keyAgreement', 'extendedKeyUsage=serverAuth'] }],
    ['with a key usage of nothing', { extensions: ['2.5.29.15=critical,DER:03020700', 'extendedKeyUsage=serverAuth'] }],
    ['with a critical extension that no one knows', { extensions: [...SERVER, '1.2.3.4=critical,DER:0500'] }],
    ['with an RSA key of 1024 bits', { keyType: 'rsa:1024' }],
    ['with a key on a curve that is not taken', { keyType: 'ec:secp256k1' }],
    ['with an Ed448 key', { keyType: 'ed448' }],
    ['with a DSA key', { keyType: 'dsa' }],
  ])('is not verified: %s', (_what, options) => {
    expect(isVerified(options)).toBe(false)
  })

  it('is verified with a key of every type that TLS takes', () => {
    expect(['ec', 'ec:P-384', 'rsa:2048', 'ed25519'].map((keyType) => isVerified({ keyType }))).toEqual([
      true,
      true,
      true,
      true,
    ])
  })

  it('is verified as the issuing certificate itself, not as another one of its key and name', () => {
    const twin = issue({ subject: '/CN=issuing', issuer: root, sameKeyAs: issuing, extensions: CA })
    expect([verifies(parsed(issuing), Date.now()), verifies(parsed(twin), Date.now())]).toEqual([true, false])
  })

  it('needs a way to a root of the chain whose certificates may all issue', () => {
    const forbidden = issue({ subject: '/CN=forbidden', extensions: ['basicConstraints=critical,CA:TRUE,pathlen:0'] })
    const below = issue({ subject: '/CN=below', issuer: forbidden, extensions: CA })
    const unknown = issue({ subject: '/CN=unknown', issuer: root, extensions: [...CA, '1.2.3.4=critical,DER:0500'] })
    const crossed = issue({ subject: '/CN=below', issuer: root, sameKeyAs: below, extensions: CA })
    const waives = (start: IssuedCertificate, all: IssuedCertificate[]) =>
      createUsageWaiver(parsed(start), all.map(parsed))(
        parsed(issue({ issuer: start, extensions: SERVER })),
        Date.now(),
      )
    expect(waives(forbidden, [forbidden])).toBe(true)
    expect(waives(below, [below, forbidden])).toBe(false)
    expect(waives(unknown, [unknown, root])).toBe(false)
    expect(waives(issuing, [issuing])).toBe(false)
    // Its cross-signed copy is another issuing certificate, with a way of its own.
    expect(waives(crossed, [crossed, below, forbidden, root])).toBe(true)
  })
})
