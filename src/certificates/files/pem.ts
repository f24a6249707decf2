import { X509Certificate } from 'node:crypto'
import { nameOnOneLine } from '../../platform/certificate-identity.ts'
import { adviceForCredential } from '../../platform/credentials.ts'
import { messageOf, PortariaError } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { isPermissionError, permissionAdvice } from '../../platform/permission.ts'
import { readRegularFile, UnreadableFile } from '../../platform/regular-file.ts'
import { type BlockNames, type PemBlock, splitBlocks } from './pem-blocks.ts'
import { isPkcs12 } from './pkcs12.ts'

/** Labels of certificates, also mistyped ones. */
const CERTIFICATE_BLOCKS: BlockNames = {
  whole: /^[A-Z0-9 ]*CERTIFICATE[A-Z0-9 ]*$/,
  intended: /CERTIFICATE/i,
}
/** Labels that texts may quote. Nothing else of a file is quoted, because it may be a part of a key. */
const KNOWN_LABELS: readonly string[] = ['CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST', 'TRUSTED CERTIFICATE']
const LABELS: readonly string[] = ['CERTIFICATE', 'X509 CERTIFICATE']
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * Every certificate of a PEM file, in its order. Comments and text between the blocks and Windows line ends are allowed.
 * Throws `certificate_invalid` with the file, each bad block and what to do, when a block is no complete certificate or the file has none, because Node
 * drops such blocks silently. @param configKey the configuration key of the file
 */
export function readCertificates(file: string, configKey: string): X509Certificate[] {
  return certificatesOfBytes(readCertificateFile(file, configKey), file, configKey)
}

/** The same for content that was read already. @param file names it in errors */
export function certificatesOfBytes(bytes: Buffer, file: string, configKey: string): X509Certificate[] {
  const certificates: X509Certificate[] = []
  const problems: string[] = []
  for (const [index, block] of splitBlocks(bytes.toString('utf8'), CERTIFICATE_BLOCKS).entries()) {
    const certificate = parseCertificateBlock(block)
    if (certificate instanceof X509Certificate) certificates.push(certificate)
    else problems.push(`${file}: certificate block ${index + 1} ${certificate}`)
  }
  if (problems.length === 0 && certificates.length === 0)
    problems.push(`${file} ${explainNoCertificate(bytes, file, configKey)}`)
  throwProblems(`${problems.length} certificate blocks of ${file} cannot be used`, problems)
  return certificates
}

/** The certificates of a text from Node, or of a checked one. */
export function certificatesIn(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  return blocks.map((block) => new X509Certificate(block))
}

/** The bytes of a certificate or key file. Throws `certificate_invalid` with the file, its configuration key and what to do. @param maxBytes default 1 MiB */
export function readCertificateFile(file: string, configKey: string, maxBytes?: number): Buffer {
  try {
    return readRegularFile(file, maxBytes)
  } catch (error) {
    throw new PortariaError('certificate_invalid', `${file} (${configKey}) ${explainUnreadable(file, error)}`, {
      cause: error,
    })
  }
}

/** Throws the problem, or for several `summary` with all of them in `details`. Returns if there is none. */
export function throwProblems(summary: string, problems: readonly string[]): void {
  const [first] = problems
  if (first === undefined) return
  if (problems.length === 1) throw new PortariaError('certificate_invalid', first)
  throw new PortariaError('certificate_invalid', summary, { details: problems })
}

/** The problems in an error of `throwProblems`; rethrows any other error. */
export function problemsOf(error: unknown): readonly string[] {
  if (!(error instanceof PortariaError)) throw error
  return error.details.length > 0 ? error.details : [error.message]
}

/** The subject on one line in quotes, for texts. */
export function nameOf(certificate: X509Certificate): string {
  return `"${nameOnOneLine(certificate.subject) || 'without a subject'}"`
}

export function issuerNameOf(certificate: X509Certificate): string {
  return `"${nameOnOneLine(certificate.issuer)}"`
}

/** Whether `issuer` signed `certificate`: by name, key identifiers and key usage, and by the signature itself. */
export function hasIssued(issuer: X509Certificate, certificate: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && hasSigned(issuer, certificate)
}

/** Whether the signature is right, whatever the names and the key usage say. */
export function hasSigned(signer: X509Certificate, certificate: X509Certificate): boolean {
  try {
    return certificate.verify(signer.publicKey)
  } catch {
    // A key of an algorithm that OpenSSL does not know cannot have made a valid signature.
    return false
  }
}

/** "expired on …" or "is not valid before …"; null: the certificate is valid now. */
export function explainOutOfDate(certificate: X509Certificate, now: Date): string | null {
  if (now > certificate.validToDate) return `expired on ${certificate.validToDate.toISOString()}`
  if (now < certificate.validFromDate) return `is not valid before ${certificate.validFromDate.toISOString()}`
  return null
}

/** The certificate, or the problem with the block. */
export function parseCertificateBlock({ label, lines, broken }: PemBlock): X509Certificate | string {
  if (broken !== null) return `${broken}: copy the whole file again from where it came`
  if (!LABELS.includes(label))
    return `is ${KNOWN_LABELS.includes(label) ? `a "${label}"` : 'something else'}, not a certificate: put the issued certificate in its place`
  const base64 = lines.join('')
  if (base64 === '' || !BASE64.test(base64)) {
    return 'is not base64 text, or was cut off: copy the whole file again from where it came'
  }
  const der = Buffer.from(base64, 'base64')
  try {
    const certificate = new X509Certificate(der)
    if (certificate.raw.length === der.length) return certificate
    return 'has bytes behind its certificate: copy the whole file again from where it came'
  } catch (error) {
    return `is not a certificate, or was cut off (${messageOf(error)}): copy the whole file again from where it came`
  }
}

/** What to do with a PKCS#12 file in the place of a PEM file. @param configKey the configuration key of the file */
export function explainPkcs12(file: string, configKey: string): string {
  const [section] = configKey.split('.')
  if (section === 'service' && /\.(certificate|privateKey)$/.test(configKey))
    return 'is a PKCS#12 file: name it as the certificate, with the ending .p12 or .pfx, and remove privateKey'
  if (/(^|\.)(certificate|privateKey)$/.test(configKey)) {
    const place = section === configKey ? '' : ` --for ${section}`
    return `is a PKCS#12 file (.p12 or .pfx): name PEM files in the configuration, which "${COMMAND} certs import ${file}${place}" then writes`
  }
  return `is a PKCS#12 file (.p12 or .pfx): take its CA certificates with "openssl pkcs12 -in ${file} -cacerts -nokeys -out FILE.pem" ("${COMMAND} certs import" installs a certificate with its key)`
}

function explainNoCertificate(bytes: Buffer, file: string, configKey: string): string {
  if (bytes.length === 0) return 'is empty: put the certificates there, in PEM form'
  if (isPkcs12(bytes)) return explainPkcs12(file, configKey)
  // 0x30 is an ASN.1 SEQUENCE, the beginning of a binary (DER) certificate.
  if (bytes[0] === 0x30) {
    return 'is in binary (DER) form: convert it to PEM with "openssl x509 -inform der -in FILE -out FILE.pem"'
  }
  return 'contains no certificate: it must hold PEM blocks that start with "-----BEGIN CERTIFICATE-----"'
}

function explainUnreadable(file: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT' && file.startsWith('/run/credentials/')) return `does not exist: ${adviceForCredential(file)}`
  if (code === 'ENOENT') return 'does not exist: put the file there, or correct the path in the configuration'
  if (isPermissionError(error)) return `may not be read by this user: ${permissionAdvice()}`
  if (code === 'EISDIR') return 'is a folder: name a PEM file'
  if (error instanceof UnreadableFile) return error.message
  return `cannot be read (${messageOf(error)})`
}
