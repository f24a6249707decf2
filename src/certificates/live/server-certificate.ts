import type { KeyObject, X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { messageOf, PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import {
  explainOutOfDate,
  hasIssued,
  issuerNameOf,
  nameOf,
  problemsOf,
  readCertificates,
  throwProblems,
} from '../files/pem.ts'
import { readPrivateKey } from '../files/private-key.ts'

export interface ServerCertificateFiles {
  /** The server certificate, then its issuers in order; the root is optional. */
  readonly certificate: string
  /** Not encrypted. */
  readonly privateKey: string
}

/**
 * Loads and checks the certificate chain and key of a listener: in order, matching, and accepted by TLS. Out of date is only a warning.
 * Throws `certificate_invalid` with the files, the configuration keys (below `section`) and what to do.
 */
export function loadServerCertificate(
  files: ServerCertificateFiles,
  now: Date,
  section = 'callbacks',
): { cert: string; key: string; warnings: string[] } {
  const problems: string[] = []
  const collect = <T>(read: () => T): T | null => {
    try {
      return read()
    } catch (error) {
      problems.push(...problemsOf(error))
      return null
    }
  }
  const certificates = collect(() => readCertificates(files.certificate, `${section}.certificate`))
  const key = collect(() => readPrivateKey(files.privateKey, `${section}.privateKey`))
  if (certificates !== null && key !== null) problems.push(...explainMismatch(certificates, key, files))
  if (key !== null) problems.push(...explainKeyType(key, files))
  if (certificates !== null) problems.push(...explainOrder(certificates, files.certificate))
  throwProblems(`The server certificate under ${section} has ${problems.length} problems`, problems)
  if (certificates === null || key === null) throw new TypeError('unreachable: a file that was not read is a problem')

  const cert = certificates.map((certificate) => certificate.toString()).join('')
  const keyPem = key.export({ type: 'pkcs8', format: 'pem' }).toString()
  checkWithTls({ cert, key: keyPem }, files)
  return { cert, key: keyPem, warnings: explainDates(certificates, files.certificate, now) }
}

function explainMismatch(
  certificates: readonly X509Certificate[],
  key: KeyObject,
  { certificate: file, privateKey }: ServerCertificateFiles,
): string[] {
  const position = certificates.findIndex((certificate) => certificate.checkPrivateKey(key))
  if (position === 0) return []
  if (position > 0) {
    return [
      `${file}: the server certificate must come first, but certificate ${position + 1} of the file is the one that belongs to ${privateKey}: put the certificates in order (server certificate, then its issuers)`,
    ]
  }
  return [
    `${privateKey} is not the key of ${file}: install the key that the certificate request was made with, or get a new certificate for this key`,
  ]
}

const CURVES: readonly unknown[] = ['prime256v1', 'secp384r1', 'secp521r1']
const KEY_TYPES: readonly unknown[] = ['rsa', 'rsa-pss', 'ed25519']

/** OpenSSL loads such a key without an error, and then every handshake fails, because the listeners demand other signatures. */
function explainKeyType(key: KeyObject, { privateKey: file }: ServerCertificateFiles): string[] {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  if (KEY_TYPES.includes(type) || (type === 'ec' && CURVES.includes(details?.namedCurve))) return []
  return [
    `${file} has a key of a type (${details?.namedCurve ?? type}) that TLS clients refuse: get a certificate with an EC P-256 or RSA key of at least 2048 bits`,
  ]
}

function explainOrder(certificates: readonly X509Certificate[], file: string): string[] {
  return certificates.flatMap((certificate, index) => {
    const next = certificates[index + 1]
    if (next === undefined || hasIssued(next, certificate)) return []
    return `${file}: certificate ${index + 2} (${nameOf(next)}) did not issue the one before it (${nameOf(certificate)}): put the certificate of ${issuerNameOf(certificate)} there, so that each is followed by its issuer, and remove all that do not belong to the chain`
  })
}

/** OpenSSL refuses weak keys and signatures only here, so that the check fails and not the listener. */
function checkWithTls(options: { cert: string; key: string }, files: ServerCertificateFiles): void {
  try {
    createSecureContext(options)
  } catch (error) {
    throw new PortariaError(
      'certificate_invalid',
      say`${{ certificate: files.certificate }} and ${{ privateKey: files.privateKey }} cannot be used for TLS (${{ error: messageOf(error) }}): get a certificate with an EC P-256 or RSA key of at least 2048 bits, signed with SHA-256`,
      { cause: error },
    )
  }
}

function explainDates(certificates: readonly X509Certificate[], file: string, now: Date): string[] {
  return certificates.flatMap((certificate) => {
    const outOfDate = explainOutOfDate(certificate, now)
    if (outOfDate === null) return []
    return `${file}: ${nameOf(certificate)} ${outOfDate}; callers will refuse it: install a current certificate`
  })
}
