import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import { expect, it } from 'vitest'
import { inventoryOfService } from '../../../src/certificates/live/certificate-inventory.ts'
import {
  loadServiceFiles,
  problemsOfServiceFiles,
  type ServiceFilePaths,
} from '../../../src/certificates/live/service-files.ts'
import { createAuthority, type IssuedCertificate, type IssueOptions } from '../../support/authority.ts'
import { hasOpenssl, openssl } from '../../support/openssl.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** The certificates are made by openssl. */
const withOpenssl = it.skipIf(!hasOpenssl)

const HOUR_MS = 3_600_000

function anAccount(options: Partial<IssueOptions> = {}): IssuedCertificate {
  const { issue } = createAuthority(temporaryFolder())
  return issue({ name: 'account', issuer: issue({ name: 'ca', ca: true }), ...options })
}

const pairOf = ({ chainFile, keyFile }: IssuedCertificate) => ({ certificate: chainFile, privateKey: keyFile })

function load(certificate: ServiceFilePaths['certificate'], authorities: string | null = null) {
  return loadServiceFiles({ environment: 'sandbox', certificate, authorities })
}

/** A .p12 file made by openssl, and the file with its password. */
function aPkcs12({ chainFile, keyFile }: IssuedCertificate, password: string, ...options: string[]) {
  const folder = temporaryFolder()
  const [pkcs12, passwordFile] = [join(folder, 'account.p12'), join(folder, 'password')]
  writeFileSync(passwordFile, `${password}\n`)
  openssl([
    'pkcs12',
    '-export',
    '-in',
    chainFile,
    '-inkey',
    keyFile,
    '-passout',
    `pass:${password}`,
    '-out',
    pkcs12,
    ...options,
  ])
  return { pkcs12, passwordFile }
}

function isUsable(files: ReturnType<typeof load>): boolean {
  return createSecureContext({ ...files.certificate?.tls }).context !== undefined
}

withOpenssl.each([
  ['a PEM pair', (issued: IssuedCertificate) => pairOf(issued)],
  ['a .p12 file with a password', (issued: IssuedCertificate) => aPkcs12(issued, 'a password')],
  ['a .p12 file as old programs make it', (issued: IssuedCertificate) => aPkcs12(issued, 'a password', '-legacy')],
  ['a .p12 file without a password', (issued: IssuedCertificate) => ({ ...aPkcs12(issued, ''), passwordFile: null })],
])('the account’s certificate comes from %s', (_what, filesOf) => {
  const issued = anAccount()
  const files = load(filesOf(issued))
  expect(problemsOfServiceFiles(files, Date.now())).toEqual([])
  expect(files.certificate?.tls?.cert).toContain(issued.cert.trim())
  expect(files.certificate).toMatchObject({ subject: 'CN=account', notAfter: expect.any(Number) })
  expect(isUsable(files)).toBe(true)
})

withOpenssl('an environment without certificate and authorities has no problem', () => {
  const files = load(null)
  expect(files).toEqual({ certificate: null, authorities: null, authoritiesProblem: null })
})

withOpenssl('a certificate is a problem exactly while it is out of date', () => {
  const notBefore = new Date(Math.floor(Date.now() / 1000) * 1000 - HOUR_MS)
  const notAfter = new Date(notBefore.getTime() + 2 * HOUR_MS)
  const { certificate } = load(pairOf(anAccount({ notBefore, notAfter })))
  expect(certificate?.problem(notBefore.getTime())).toBeNull()
  expect(certificate?.problem(notAfter.getTime())).toBeNull()
  expect(certificate?.problem(notAfter.getTime() + 1)).toMatch(
    /^the client certificate of service\.sandbox, "CN=account", expired on .*: download a current one/,
  )
  expect(certificate?.problem(notBefore.getTime() - 1)).toMatch(/is not valid before/)
})

withOpenssl.each([
  [
    'another key',
    (): ServiceFilePaths['certificate'] => ({ ...pairOf(anAccount()), privateKey: anAccount().keyFile }),
    /is not the key of/,
  ],
  [
    'a missing file',
    (): ServiceFilePaths['certificate'] => ({
      ...pairOf(anAccount()),
      certificate: join(temporaryFolder(), 'nothing.crt'),
    }),
    /nothing\.crt \(service\.sandbox\.certificate\) does not exist/,
  ],
  [
    'a wrong password',
    (): ServiceFilePaths['certificate'] => {
      const { passwordFile } = aPkcs12(anAccount(), 'another')
      return { ...aPkcs12(anAccount(), 'right'), passwordFile }
    },
    /the password in passwordFile does not open .*account\.p12: correct it/,
  ],
  [
    'no password where one is needed',
    (): ServiceFilePaths['certificate'] => ({ ...aPkcs12(anAccount(), 'right'), passwordFile: null }),
    /the empty password does not open .*: name the file with its password as passwordFile/,
  ],
  [
    'a damaged .p12 file',
    (): ServiceFilePaths['certificate'] => {
      const pkcs12 = join(temporaryFolder(), 'damaged.p12')
      writeFileSync(pkcs12, Buffer.from('3082000002010330', 'hex'))
      return { pkcs12, passwordFile: null }
    },
    /damaged\.p12 cannot be read .*: copy the whole file again/,
  ],
  [
    'a .p12 file that would block the gateway for seconds',
    (): ServiceFilePaths['certificate'] => aPkcs12(anAccount(), 'right', '-iter', '100000'),
    /its key derivation has 100000 rounds.*convert it to PEM files/,
  ],
  [
    'a .p12 file in the place of a PEM file',
    (): ServiceFilePaths['certificate'] => ({ ...pairOf(anAccount()), certificate: aPkcs12(anAccount(), '').pkcs12 }),
    /is a PKCS#12 file: name it as the certificate, with the ending \.p12 or \.pfx, and remove privateKey/,
  ],
])('%s is a problem in words, and no error', (_what, filesOf, problem) => {
  const { certificate } = load(filesOf())
  expect(certificate).toMatchObject({ tls: null, subject: null, notAfter: null })
  expect(certificate?.problem(Date.now())).toMatch(problem)
})

withOpenssl('authorities that cannot be read are a problem, and then no server is trusted', () => {
  const file = join(temporaryFolder(), 'authorities.pem')
  writeFileSync(file, 'nothing')
  const files = load(null, file)
  expect(problemsOfServiceFiles(files, Date.now())).toEqual([
    expect.stringMatching(/^the authorities of service\.sandbox cannot be used: .*contains no certificate/),
  ])
  expect(files.authorities).not.toContain('CERTIFICATE')
  expect(files.authorities).not.toBe('')
  const { cert } = anAccount()
  writeFileSync(file, cert)
  expect(load(null, file)).toMatchObject({
    authorities: expect.stringContaining(cert.trim()),
    authoritiesProblem: null,
  })
})

withOpenssl('the inventory has the certificate with its environment, or why it is unusable', () => {
  const issued = anAccount()
  const entry: ServiceFilePaths = { environment: 'sandbox', certificate: aPkcs12(issued, 'a'), authorities: null }
  const place = { set: 'service.sandbox', environment: 'sandbox' }
  expect(inventoryOfService(entry, Date.now())).toEqual([
    expect.objectContaining({ ...place, subject: 'CN=account', isReplaced: false }),
  ])
  const wrong: ServiceFilePaths = { ...entry, certificate: { ...aPkcs12(issued, 'a'), passwordFile: null } }
  expect(inventoryOfService(wrong, Date.now())).toEqual([
    expect.objectContaining({ ...place, problem: expect.stringContaining('does not open') }),
  ])
  expect(inventoryOfService({ ...entry, certificate: null }, Date.now())).toEqual([])
  const server = pairOf(anAccount({ extensions: ['extendedKeyUsage=serverAuth'] }))
  expect(inventoryOfService({ ...entry, certificate: server }, Date.now())[0]).toMatchObject({
    clientUseProblem: expect.stringContaining('is not for TLS clients'),
  })
})
