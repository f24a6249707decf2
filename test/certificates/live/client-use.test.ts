import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  inventoryOfFile,
  inventoryOfLists,
  rememberAppCertificates,
} from '../../../src/certificates/live/certificate-inventory.ts'
import { clientUseProblemOf } from '../../../src/certificates/live/client-use.ts'
import { createAuthority, type IssuedCertificate } from '../../support/authority.ts'
import { hasOpenssl } from '../../support/openssl.ts'
import { makeRevocationList } from '../../support/revocation-lists.ts'

const DAY_MS = 86_400_000

describe.skipIf(!hasOpenssl)('certificates that clients show', () => {
  const folder = mkdtempSync(join(tmpdir(), 'portaria-client-use-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const { issue } = createAuthority(folder)
  let publicCa: IssuedCertificate
  let privateCa: IssuedCertificate
  // Not while the tests are collected, which also happens where openssl is missing.
  beforeAll(() => {
    publicCa = issue({ name: 'public', ca: true, subject: "/O=Let's Encrypt/CN=R13" })
    privateCa = issue({ name: 'private', ca: true, subject: '/O=Our company/CN=DigiCert' })
  })
  let issued = 0
  function certificateOf(issuer: IssuedCertificate, uses: string) {
    const extensions = uses === '' ? ['keyUsage=digitalSignature'] : [`extendedKeyUsage=${uses}`]
    return issue({ name: `client-${++issued}`, issuer, subject: '/CN=us', extensions })
  }

  it.each([
    [
      'of a public authority, for servers and clients',
      () => publicCa,
      'serverAuth,clientAuth',
      /of Let's Encrypt, which no longer issues .* next renewal .* private authority/,
    ],
    ['of a public authority, for servers', () => publicCa, 'serverAuth', /is not for TLS clients .* private authority/],
    ['of a private authority, for servers', () => privateCa, 'serverAuth', /is not for TLS clients/],
    [
      'for any use, which OpenSSL does not take for clients',
      () => privateCa,
      'anyExtendedKeyUsage',
      /is not for TLS clients/,
    ],
    ['of a private authority, for servers and clients', () => privateCa, 'serverAuth,clientAuth', null],
    ['for clients alone', () => publicCa, 'clientAuth', null],
    ['that says nothing of its use', () => publicCa, '', null],
  ])('%s', (_what, issuer, uses, expected) => {
    const problem = clientUseProblemOf(new X509Certificate(certificateOf(issuer(), uses).cert))
    if (expected === null) expect(problem).toBeNull()
    else expect(problem).toMatch(expected)
  })

  it('our own in its file and those of apps are looked at, but not their issuers nor certificates of servers', () => {
    const own = certificateOf(publicCa, 'serverAuth')
    const problemsIn = (set: 'client' | 'server') =>
      inventoryOfFile(own.chainFile, { set, environment: null }, 'key').map((one) => 'clientUseProblem' in one)
    expect([problemsIn('client'), problemsIn('server')]).toEqual([
      [true, false],
      [false, false],
    ])

    let now = 0
    const apps = rememberAppCertificates(() => now)
    for (const uses of ['serverAuth,clientAuth', 'clientAuth']) {
      const certificate = new X509Certificate(certificateOf(publicCa, uses).cert)
      for (let times = 0; times < 3; times++) apps.add(certificate)
      now += 2 * DAY_MS
    }
    expect(apps.watched(now)).toMatchObject([
      { set: 'api-client', where: 'api', subject: 'CN=us', clientUseProblem: expect.stringContaining('next renewal') },
      { set: 'api-client', where: 'api', subject: 'CN=us' },
    ])
  })

  it('of revocation lists the newest of each authority is watched, by when the next one comes', () => {
    const now = Date.now()
    const days = (from: number, to: number) => ({
      thisUpdate: new Date(now + from * DAY_MS),
      nextUpdate: new Date(now + to * DAY_MS),
    })
    const lists = [days(-40, -10), days(-1, 39)].map((times) =>
      makeRevocationList(folder, { issuer: publicCa, ...times }),
    )
    const file = join(folder, 'all.crl')
    writeFileSync(file, lists.join(''))
    expect(inventoryOfLists([file, join(folder, 'missing.crl')], 'sandbox')).toEqual([
      {
        set: 'revocation-list',
        where: file,
        environment: 'sandbox',
        subject: "Let's Encrypt, R13",
        issuer: "Let's Encrypt, R13",
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
        notBefore: Math.floor((now - DAY_MS) / 1000) * 1000,
        notAfter: Math.floor((now + 39 * DAY_MS) / 1000) * 1000,
        isReplaced: false,
      },
      {
        set: 'revocation-list',
        where: join(folder, 'missing.crl'),
        environment: 'sandbox',
        problem: expect.stringContaining('does not exist'),
      },
    ])
  })
})
