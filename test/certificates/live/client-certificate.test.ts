import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadClientCertificate } from '../../../src/certificates/live/client-certificate.ts'
import { createAuthority, type IssuedCertificate } from '../../support/authority.ts'
import { hasOpenssl } from '../../support/openssl.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** The certificates are made by openssl. */
const withOpenssl = it.skipIf(!hasOpenssl)

const HOUR_MS = 3_600_000

function aClient(options: { notBefore?: Date; notAfter?: Date } = {}): IssuedCertificate {
  const { issue } = createAuthority(temporaryFolder())
  return issue({ name: 'gateway', issuer: issue({ name: 'ca', ca: true }), ...options })
}

const filesOf = (issued: IssuedCertificate) => ({ certificate: issued.chainFile, privateKey: issued.keyFile })

withOpenssl('is shown with its chain while it is valid, and not a moment longer', () => {
  const notAfter = new Date(Math.floor(Date.now() / 1000) * 1000 + HOUR_MS)
  const issued = aClient({ notAfter })
  const client = loadClientCertificate(filesOf(issued), new Date())
  expect(client.tls.cert.match(/BEGIN CERTIFICATE/g)).toHaveLength(2)
  expect(client.tls.key).toMatch(/BEGIN PRIVATE KEY/)
  expect(client.problem(new Date())).toBeNull()
  expect(client.problem(new Date(notAfter.getTime() - 1))).toBeNull()
  expect(client.problem(notAfter)).toMatch(
    /gateway\.chain\.pem expired on .*: replace it; a usable one is taken up by itself, and sending resumes within a minute$/,
  )
})

withOpenssl('is a problem before it is valid', () => {
  const issued = aClient({ notBefore: new Date(Date.now() + HOUR_MS) })
  expect(loadClientCertificate(filesOf(issued), new Date()).problem(new Date())).toMatch(/is valid only from/)
})

withOpenssl.each(['a missing file', 'another key'])(
  '%s is a problem in words, and nothing can be sent without it',
  (what) => {
    const issued = aClient()
    const files =
      what === 'another key'
        ? { ...filesOf(issued), privateKey: aClient().keyFile }
        : { ...filesOf(issued), certificate: join(temporaryFolder(), 'nothing.crt') }
    const client = loadClientCertificate(files, new Date())
    expect(client.problem(new Date())).toMatch(
      /^the client certificate cannot be used: .*; a usable one is taken up by itself, and sending resumes within a minute$/s,
    )
    expect(() => client.tls).toThrow(/the client certificate cannot be used/)
  },
)
