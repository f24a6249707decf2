import { X509Certificate } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  makeConfiguredCertificates,
  makeDevelopmentCertificates,
} from '../../../src/certificates/development/development.ts'
import { readCertificates } from '../../../src/certificates/files/pem.ts'
import { loadServerCertificate } from '../../../src/certificates/live/server-certificate.ts'
import { loadTrust } from '../../../src/certificates/trust/trust.ts'
import { hasOpenssl, openssl } from '../../support/openssl.ts'

const DAY_MS = 86_400_000
const SERVER = ['server.crt', 'server.key', 'server-ca.crt']
const SERVICE = [
  'trust/production.pem',
  'trust/sandbox.pem',
  'service/production-client.crt',
  'service/production-client.key',
  'service/sandbox-client.crt',
  'service/sandbox-client.key',
]
const CERTIFICATES = [...SERVER, ...SERVICE].filter((file) => !file.endsWith('.key'))
let folder: string

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'portaria-development-')), 'certs')
})

afterEach(() => rmSync(join(folder, '..'), { recursive: true }))

const contents = () => [...SERVER, ...SERVICE].map((file) => readFileSync(join(folder, file), 'utf8'))

it('makes everything at the first start and uses it again at the second', async () => {
  expect(await makeDevelopmentCertificates(folder)).toEqual({ made: [...SERVER, ...SERVICE] })
  const first = contents()
  expect(await makeDevelopmentCertificates(folder)).toEqual({ made: [] })
  expect(contents()).toEqual(first)
  expect(readdirSync(folder).toSorted()).toEqual(['server-ca.crt', 'server.crt', 'server.key', 'service', 'trust'])
})

it('lets no one but the owner read a key, and makes no key of a CA', async () => {
  await makeDevelopmentCertificates(folder)
  const keys = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.key'))
  expect(keys.toSorted()).toEqual(['server.key', 'service/production-client.key', 'service/sandbox-client.key'])
  for (const key of keys) expect(statSync(join(folder, key)).mode & 0o777).toBe(0o600)
})

it('makes what the gateway itself accepts: one root, two environments', async () => {
  await makeDevelopmentCertificates(folder)
  const at = (file: string) => join(folder, file)
  const files = { certificate: at('server.crt'), privateKey: at('server.key') }
  expect(loadServerCertificate(files, new Date()).warnings).toEqual([])
  const { trust, warnings } = loadTrust(
    [
      { environment: 'production', chain: at('trust/production.pem') },
      { environment: 'sandbox', chain: at('trust/sandbox.pem') },
    ],
    new Date(),
  )
  expect(warnings).toEqual([])
  expect(trust.authorities).toHaveLength(3)
  for (const { environment, certificate } of trust.issuing) {
    const own = new X509Certificate(readFileSync(at(`service/${environment}-client.crt`)))
    expect(own.checkIssued(certificate) && own.verify(certificate.publicKey)).toBe(true)
  }
})

it('signs everything with SHA-256, with positive serial numbers and bounded validity', async () => {
  await makeDevelopmentCertificates(folder)
  for (const file of CERTIFICATES) {
    for (const certificate of readCertificates(join(folder, file), 'test')) {
      expect(certificate.signatureAlgorithm).toBe('ecdsa-with-SHA256')
      expect(certificate.serialNumber).toMatch(/^[0-9A-F]+$/)
      const days = (certificate.validToDate.getTime() - certificate.validFromDate.getTime()) / DAY_MS
      expect(days).toBe(certificate.ca ? 3_652 : 820)
    }
  }
})

it.skipIf(!hasOpenssl)('makes a server certificate that openssl accepts strictly, for this machine only', async () => {
  await makeDevelopmentCertificates(folder)
  const verify = (...args: string[]) =>
    openssl(['verify', '-x509_strict', '-CAfile', 'server-ca.crt', '-untrusted', 'server.crt', ...args, 'server.crt'], {
      cwd: folder,
    })
  expect(verify('-purpose', 'sslserver', '-verify_hostname', 'localhost')).toBe('server.crt: OK\n')
  expect(verify('-purpose', 'sslserver', '-verify_ip', '127.0.0.1')).toBe('server.crt: OK\n')
  expect(verify('-purpose', 'sslserver', '-verify_ip', '::1')).toBe('server.crt: OK\n')
  expect(() => verify('-purpose', 'sslclient')).toThrow(/unsuitable certificate purpose/)
  expect(() => verify('-verify_hostname', 'example.com')).toThrow(/hostname mismatch/)
})

for (const environment of ['production', 'sandbox']) {
  it.skipIf(!hasOpenssl)(`makes a ${environment} client that openssl accepts strictly, as a client only`, async () => {
    await makeDevelopmentCertificates(folder)
    const client = `service/${environment}-client.crt`
    const chain = `trust/${environment}.pem`
    const verify = (purpose: string) =>
      openssl(['verify', '-x509_strict', '-CAfile', chain, '-purpose', purpose, client], { cwd: folder })
    expect(verify('sslclient')).toBe(`${client}: OK\n`)
    expect(() => verify('sslserver')).toThrow(/unsuitable certificate purpose/)
    expect(openssl(['x509', '-in', client, '-noout', '-text'], { cwd: folder })).toMatch(
      /Serial Number:(?! *-)[\s\S]*Subject Key Identifier[\s\S]*Authority Key Identifier/,
    )
  })
}

it('makes one group of files when the other exists', async () => {
  await makeDevelopmentCertificates(folder)
  for (const file of SERVER) rmSync(join(folder, file))
  expect(await makeDevelopmentCertificates(folder)).toEqual({ made: SERVER })
})

it('refuses an incomplete group, names what is missing and overwrites nothing', async () => {
  await makeDevelopmentCertificates(folder)
  rmSync(join(folder, 'service/sandbox-client.key'))
  rmSync(join(folder, 'trust/sandbox.pem'))
  await expect(makeDevelopmentCertificates(folder)).rejects.toMatchObject({
    code: 'certificate_invalid',
    message: `Some development certificates are missing in ${folder}: trust/sandbox.pem, service/sandbox-client.key. They belong together with trust/production.pem, service/production-client.crt, service/production-client.key, service/sandbox-client.crt: put the missing files back, or delete these and start again: then all of them are created.`,
  })
  expect(existsSync(join(folder, 'trust/sandbox.pem'))).toBe(false)
})

it('refuses a key that is not the key of its certificate', async () => {
  await makeDevelopmentCertificates(folder)
  writeFileSync(join(folder, 'server.key'), readFileSync(join(folder, 'service/sandbox-client.key')))
  await expect(makeDevelopmentCertificates(folder)).rejects.toThrow(
    /server\.key is not the key of server\.crt .*: delete server\.crt, server\.key, server-ca\.crt and start again/,
  )
})

it('refuses expired certificates and says which files to delete', async () => {
  await makeDevelopmentCertificates(folder)
  await expect(makeDevelopmentCertificates(folder, new Date(Date.now() + 821 * DAY_MS))).rejects.toThrow(
    /The development certificate server\.crt in .* expired on .*: delete server\.crt, server\.key, server-ca\.crt and start/,
  )
})

it('makes for a configuration only what it names as it is made here', async () => {
  const at = (file: string) => join(folder, file)
  const own = join(folder, '../own')
  writeFileSync(own, 'of somebody')
  const chains = [{ chain: at('trust/production.pem') }, { chain: at('trust/sandbox.pem') }]
  const server = { certificate: at('server.crt'), privateKey: at('server.key') }

  expect(await makeConfiguredCertificates({ ...server, trust: [{ chain: own }] })).toEqual({ made: SERVER })
  expect(await makeConfiguredCertificates({ ...server, trust: chains.slice(1) })).toEqual({ made: SERVICE })
  rmSync(folder, { recursive: true })
  expect(await makeConfiguredCertificates({ certificate: own, privateKey: own, trust: [{ chain: own }] })).toEqual({
    made: [],
  })
  expect(readdirSync(join(folder, '..'))).toEqual(['own'])
})

it('refuses a configured file that neither exists nor is one that it makes, and makes nothing', async () => {
  const at = (file: string) => join(folder, file)
  const trust = [{ chain: at('trust/production.pem') }, { chain: at('trust/test.pem') }]
  const files = { certificate: at('server.crt'), privateKey: at('gateway.key'), trust }
  await expect(makeConfiguredCertificates(files)).rejects.toMatchObject({
    code: 'certificate_invalid',
    message: `${at('gateway.key')}, ${at('trust/test.pem')} (callbacks) do not exist, and development makes only server.crt, server.key, trust/production.pem, trust/sandbox.pem in ${folder}, the folder of callbacks.certificate: put your own files there, or write these names in the configuration.`,
  })
  expect(existsSync(folder)).toBe(false)
})

it('says so where it cannot write', async () => {
  writeFileSync(folder, 'no folder')
  await expect(makeDevelopmentCertificates(folder)).rejects.toMatchObject({
    code: 'certificate_invalid',
    message: expect.stringMatching(
      /^The development certificates cannot be written to .*: it, or a part of its path, is no folder; let this user write/,
    ),
  })
})

it('lets starts at the same moment agree on one set', async () => {
  const results = await Promise.all(Array.from({ length: 4 }, () => makeDevelopmentCertificates(folder)))
  expect(results.flatMap(({ made }) => made).toSorted()).toEqual([...SERVER, ...SERVICE].toSorted())
  expect(await makeDevelopmentCertificates(folder)).toEqual({ made: [] })
})
