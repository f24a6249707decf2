import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeDevelopmentCertificates } from '../../../src/certificates/development/development.ts'
import { loadServerCertificate } from '../../../src/certificates/live/server-certificate.ts'
import { PortariaError } from '../../../src/platform/errors.ts'
import { COMMAND } from '../../../src/platform/installation.ts'
import { createAuthority } from '../../support/authority.ts'
import { hasOpenssl, openssl } from '../../support/openssl.ts'
import { pkcs12Of } from '../files/bundles.ts'

const folder = mkdtempSync(join(tmpdir(), 'portaria-server-'))
const certificate = join(folder, 'server.crt')
const privateKey = join(folder, 'server.key')
/** Later than the beginning of the certificates, which are made in `beforeAll`. */
let now: Date
let leaf: string
let issuer: string
let root: string

beforeAll(async () => {
  await makeDevelopmentCertificates(folder)
  now = new Date()
  ;[leaf = '', issuer = ''] =
    readFileSync(certificate, 'utf8').match(/-----BEGIN[\s\S]*?-----END CERTIFICATE-----\n/g) ?? []
  root = readFileSync(join(folder, 'server-ca.crt'), 'utf8')
})

afterAll(() => rmSync(folder, { recursive: true }))

function refusalOf(files: { certificate: string; privateKey: string }, section?: string): PortariaError {
  try {
    loadServerCertificate(files, now, section)
  } catch (error) {
    if (error instanceof PortariaError) return error
    throw error
  }
  throw new Error('the certificate was accepted')
}

function write(name: string, text: string | Buffer): string {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

it('loads a full chain and its key, ready for TLS', () => {
  const { cert, key, warnings } = loadServerCertificate({ certificate, privateKey }, now)
  expect(warnings).toEqual([])
  expect(cert).toBe(leaf + issuer)
  expect(() => createSecureContext({ cert, key })).not.toThrow()
})

it('takes the root at the end of the chain, and a certificate and its key in one file', () => {
  const both = write('both.pem', `${readFileSync(privateKey, 'utf8')}${leaf}${issuer}${root}`)
  expect(loadServerCertificate({ certificate: both, privateKey: both }, now).cert).toBe(leaf + issuer + root)
})

it('refuses a key of another certificate', () => {
  const error = refusalOf({ certificate, privateKey: join(folder, 'service/sandbox-client.key') })
  expect(error.code).toBe('certificate_invalid')
  expect(error.message).toMatch(/sandbox-client\.key is not the key of .*server\.crt: install the key/)
})

it('refuses a chain that does not begin with the own certificate, and says where it is', () => {
  const reversed = write('reversed.crt', issuer + leaf)
  const error = refusalOf({ certificate: reversed, privateKey })
  expect(error.details).toEqual([
    expect.stringMatching(
      /server certificate must come first, but certificate 2 of the file .* put the certificates in order/,
    ),
    expect.stringMatching(/certificate 2 \("CN=localhost, .*\) did not issue the one before it/),
  ])
})

it('refuses a chain with a gap or an untrusted caller in it', () => {
  const gap = write('gap.crt', leaf + root)
  expect(refusalOf({ certificate: gap, privateKey }).message).toMatch(
    /certificate 2 .*did not issue the one before it .*: put the certificate of "CN=Portaria development server CA, .*" there/,
  )
  const twice = write('twice.crt', leaf + leaf + issuer)
  expect(refusalOf({ certificate: twice, privateKey }).message).toMatch(/certificate 2 .*did not issue/)
})

it('names missing files, their configuration keys and what to do, both together', () => {
  const missing = { certificate: join(folder, 'no.crt'), privateKey: join(folder, 'no.key') }
  expect(refusalOf(missing, 'chargeNotifications').details).toEqual([
    `${missing.certificate} (chargeNotifications.certificate) does not exist: put the file there, or correct the path in the configuration`,
    `${missing.privateKey} (chargeNotifications.privateKey) does not exist: put the file there, or correct the path in the configuration`,
  ])
})

it('refuses a key that is none, or was cut off, without showing it', () => {
  expect(refusalOf({ certificate, privateKey: certificate }).message).toMatch(/contains no private key/)
  const text = readFileSync(privateKey, 'utf8')
  const secret = text.split('\n')[1] ?? ''
  const cut = refusalOf({ certificate, privateKey: write('cut.key', text.replace(secret, secret.slice(0, 20))) })
  expect(cut.message).toMatch(/is not a whole private key: .*copy the whole file again/)
  expect(cut.message).not.toContain(secret.slice(0, 10))
})

it('names the command that imports a .p12, in the place of the certificate and of the key', async () => {
  const file = write('server.p12', await pkcs12Of(leaf, readFileSync(privateKey, 'utf8')))
  const isPkcs12 = 'is a PKCS#12 file (.p12 or .pfx): name PEM files in the configuration, which'
  for (const [section, place] of [
    ['api', 'api'],
    ['forwarding.clientCertificate', 'forwarding'],
  ] as const) {
    const remedy = `${isPkcs12} "${COMMAND} certs import ${file} --for ${place}" then writes`
    expect(refusalOf({ certificate: file, privateKey: file }, section).details).toEqual([
      `${file} ${remedy}`,
      `${file} (${section}.privateKey) ${remedy}`,
    ])
  }
})

it('only warns of certificates that are out of date', () => {
  const files = { certificate, privateKey }
  const { warnings } = loadServerCertificate(files, new Date(now.getTime() + 830 * 86_400_000))
  expect(warnings).toEqual([
    expect.stringMatching(/"CN=localhost, .*" expired on .*callers will refuse it: install a current certificate/),
  ])
  const early = loadServerCertificate(files, new Date(now.getTime() - 86_400_000)).warnings
  expect(early).toEqual([expect.stringMatching(/is not valid before/), expect.stringMatching(/is not valid before/)])
})

describe.skipIf(!hasOpenssl)('with keys and certificates made by openssl', () => {
  it('says how to decrypt an encrypted key, in the new form and in the old one', () => {
    const modern = join(folder, 'modern.key')
    openssl(['pkcs8', '-topk8', '-in', privateKey, '-passout', 'pass:secret', '-out', modern])
    expect(refusalOf({ certificate, privateKey: modern }).message).toMatch(/is encrypted .*openssl pkey -in/)
    const old = join(folder, 'old.key')
    openssl(['ec', '-in', privateKey, '-aes128', '-passout', 'pass:secret', '-out', old])
    expect(readFileSync(old, 'utf8')).toContain('Proc-Type: 4,ENCRYPTED')
    expect(refusalOf({ certificate, privateKey: old }).message).toMatch(/is encrypted .*openssl pkey -in/)
  })

  it('takes RSA keys in the traditional form', () => {
    const made = createAuthority(join(folder, 'rsa')).issue({ name: 'rsa', keyType: 'rsa:2048' })
    const traditional = join(folder, 'traditional.key')
    openssl(['rsa', '-in', made.keyFile, '-traditional', '-out', traditional])
    expect(loadServerCertificate({ certificate: made.certFile, privateKey: traditional }, now).cert).toBe(made.cert)
  })

  it('refuses a key that TLS would refuse as too weak', () => {
    const made = createAuthority(join(folder, 'weak')).issue({ name: 'weak', keyType: 'rsa:1024' })
    expect(refusalOf({ certificate: made.certFile, privateKey: made.keyFile }).message).toMatch(
      /cannot be used for TLS .*get a certificate with an EC P-256 or RSA key/,
    )
  })
})
