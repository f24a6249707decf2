import { X509Certificate } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { expect, it } from 'vitest'
import { hasOpenssl, openssl } from '../support/openssl.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { issueServer } from '../../src/folder/certificates.ts'
import { openFolder } from '../../src/folder/folder.ts'
import { contentsOf, firstStart } from './support.ts'

const DAY_MS = 86_400_000
const first = firstStart()
const readPem = (file: string) => readFileSync(file, 'utf8')
const rawOf = (pem: string) => new X509Certificate(pem).raw
const issueFor = async (name: string) => (await first.open()).issueAccountCertificate({ environment: 'sandbox', name })

it('issues a certificate for an account at run time without writing to the folder', async () => {
  const before = contentsOf(first.path)
  const { p12Base64, certificate, privateKey, fingerprint } = await issueFor('Conceição, da Silva')
  expect(contentsOf(first.path)).toEqual(before)
  const issued = new X509Certificate(certificate)
  expect(issued.subject).toBe('O=Portaria simulator\nCN=Conceição\\, da Silva')
  expect(issued.fingerprint256).toBe(fingerprint)
  expect(() => createSecureContext({ pfx: Buffer.from(p12Base64, 'base64'), passphrase: '' })).not.toThrow()
  expect(() => createSecureContext({ cert: certificate, key: privateKey })).not.toThrow()
  const { fingerprint: another } = await issueFor('Conceição, da Silva')
  expect(another).not.toBe(fingerprint)
})

it.skipIf(!hasOpenssl)('openssl reads the issued .p12 with its name, and the chain to the root', async () => {
  const folder = temporaryFolder()
  const { p12Base64, certificate } = await issueFor('Maria Souza')
  writeFileSync(join(folder, 'account.p12'), Buffer.from(p12Base64, 'base64'))
  const text = openssl(['pkcs12', '-in', join(folder, 'account.p12'), '-passin', 'pass:', '-nodes', '-nokeys'])
  expect(text).toContain('friendlyName: Maria Souza')
  expect(text).toContain(certificate.trim())
  const issuers = ['-CAfile', 'server-ca.crt', '-untrusted', 'authority/accounts-sandbox.pem']
  const verified = openssl(['verify', '-x509_strict', '-purpose', 'sslclient', ...issuers], {
    cwd: first.path,
    input: certificate,
  })
  expect(verified).toBe('stdin: OK\n')
})

it('cuts a common name to 64 characters', async () => {
  const { certificate } = await issueFor('é'.repeat(100))
  expect(new X509Certificate(certificate).subject).toBe(`O=Portaria simulator\nCN=${'é'.repeat(64)}`)
})

it('verifies account certificates for their own environment only', async () => {
  const folder = await first.open()
  const { certificate } = await issueFor('Maria Souza')
  const sandbox = [certificate, ...folder.environments.sandbox.accounts.map(({ files }) => readPem(files.cert))]
  const production = folder.environments.production.accounts.map(({ files }) => readPem(files.cert))
  for (const pem of sandbox) expect(folder.verifyAccountCertificate(rawOf(pem), 'sandbox')).toBe(true)
  for (const pem of sandbox) expect(folder.verifyAccountCertificate(rawOf(pem), 'production')).toBe(false)
  for (const pem of production) expect(folder.verifyAccountCertificate(rawOf(pem), 'production')).toBe(true)
  for (const pem of production) expect(folder.verifyAccountCertificate(rawOf(pem), 'sandbox')).toBe(false)
})

it('verifies nothing else: other issuers, other uses, authorities, forged names and broken bytes', async () => {
  const folder = await first.open()
  const { environments, server, root } = folder
  const imitation = await (
    await openFolder(temporaryFolder(), { now: () => new Date(), hostNames: [] })
  ).issueAccountCertificate({ environment: 'sandbox', name: 'Maria Souza' })
  const [account] = environments.sandbox.accounts
  const broken = Buffer.from(rawOf(readPem(account?.files.cert as string)))
  const authority = readPem(join(first.path, 'authority/accounts-sandbox.pem'))
  const issuer = { cert: authority, key: authority.slice(authority.indexOf('-----BEGIN PRIVATE KEY-----')) }
  const forServers = await issueServer({ key: server.key, issuer, now: new Date(), hostNames: [] })
  // The last byte belongs to the signature.
  broken[broken.length - 1] = (broken.at(-1) as number) ^ 1
  const others = [
    rawOf(environments.sandbox.client.cert),
    rawOf(server.cert),
    rawOf(root),
    ...environments.sandbox.accountAuthorities.map(rawOf),
    rawOf(imitation.certificate),
    rawOf(forServers),
    broken,
    Buffer.from('no certificate'),
    Buffer.alloc(0),
  ]
  expect(others.map((raw) => folder.verifyAccountCertificate(raw, 'sandbox'))).toEqual(others.map(() => false))
})

it('verifies an account certificate only between its dates', async () => {
  let time = Date.now()
  const folder = await openFolder(first.path, { now: () => new Date(time), hostNames: [] })
  const { raw, validFromDate, validToDate } = new X509Certificate((await issueFor('Maria Souza')).certificate)
  const isValidAt = (date: Date, shiftMs: number) => {
    time = date.getTime() + shiftMs
    return folder.verifyAccountCertificate(raw, 'sandbox')
  }
  expect([isValidAt(validFromDate, -1), isValidAt(validFromDate, 0)]).toEqual([false, true])
  expect([isValidAt(validToDate, 0), isValidAt(validToDate, 1)]).toEqual([true, false])
})

it('a certificate that is issued late ends with its authority', async () => {
  let time = Date.now()
  const folder = await openFolder(first.path, { now: () => new Date(time), hostNames: [] })
  time += 3_500 * DAY_MS
  const { certificate } = await folder.issueAccountCertificate({ environment: 'sandbox', name: 'Maria Souza' })
  const authority = new X509Certificate(folder.environments.sandbox.accountAuthorities[0] as string)
  expect(new X509Certificate(certificate).validToDate).toEqual(authority.validToDate)
})
