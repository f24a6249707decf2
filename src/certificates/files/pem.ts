import { X509Certificate } from 'node:crypto'
import { nameOnOneLine } from '../../platform/certificate-identity.ts'
import { adviceForCredential } from '../../platform/credentials.ts'
import { PortariaError, systemWords } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { isPermissionError, permissionAdvice } from '../../platform/permission.ts'
import { readRegularFile, UnreadableFile } from '../../platform/regular-file.ts'
import { type FilePart, partsOf } from './file-parts.ts'

/**
 * Every certificate of a file, in its order. Throws `certificate_invalid` with the file, each bad block and what to do, when a block is no complete
 * certificate or the file has none, because Node drops such blocks silently. @param configKey the configuration key of the file
 */
export function readCertificates(file: string, configKey: string): X509Certificate[] {
  return certificatesOfBytes(readCertificateFile(file, configKey), file, configKey)
}

/** The same for content that was read already. @param file names it in errors */
export function certificatesOfBytes(bytes: Buffer, file: string, configKey: string): X509Certificate[] {
  const parts = partsOf(bytes, file)
  const problems = parts.flatMap(({ type, what, problem }) => {
    if (type === 'certificate request') return [`${what} is a certificate request: ${ISSUED}`]
    return problem === null || type === 'private key' || type === 'revocation list' ? [] : [`${what} ${problem}`]
  })
  const certificates = parts.flatMap(({ certificate }) => certificate ?? [])
  if (problems.length === 0 && certificates.length === 0)
    problems.push(`${file} ${bytes.length === 0 ? EMPTY : explainAbsence('certificate', parts, { file, configKey })}`)
  throwProblems(`${problems.length} certificate blocks of ${file} cannot be used`, problems)
  return certificates
}

const ISSUED = 'put the issued certificate in its place'
const EMPTY = 'is empty: put the certificates there, in PEM form'

/** Why a file without problems holds nothing of this type, and what to do; begins with a verb. */
export function explainAbsence(
  wanted: 'certificate' | 'private key',
  parts: readonly FilePart[],
  { file, configKey }: { readonly file: string; readonly configKey: string },
): string {
  const [found] = parts.map(({ type }) => type).filter((type) => type !== 'other')
  if (found === 'PKCS#12') return explainPkcs12(file, configKey)
  if (found !== undefined)
    return `contains no ${wanted}, but a ${found}: ${wanted === 'certificate' ? ISSUED : 'name the file of the key'}`
  const label = wanted === 'certificate' ? 'CERTIFICATE' : 'PRIVATE KEY'
  return `contains no ${wanted}: it must hold PEM blocks that start with "-----BEGIN ${label}-----"`
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

function explainUnreadable(file: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT' && file.startsWith('/run/credentials/')) return `does not exist: ${adviceForCredential(file)}`
  if (code === 'ENOENT') return 'does not exist: put the file there, or correct the path in the configuration'
  if (isPermissionError(error)) return `may not be read by this user: ${permissionAdvice()}`
  if (code === 'EISDIR') return 'is a folder: name a PEM file'
  if (error instanceof UnreadableFile) return error.message
  return `cannot be read (${systemWords(error)})`
}
