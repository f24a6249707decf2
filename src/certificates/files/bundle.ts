import type { KeyObject, X509Certificate } from 'node:crypto'
import { messageOf, PortariaError, systemWords } from '../../platform/errors.ts'
import { isPermissionError, permissionAdvice } from '../../platform/permission.ts'
import { readArgumentFile, UnreadableFile } from '../../platform/regular-file.ts'
import { COPY_AGAIN, type FilePart, partsOf } from './file-parts.ts'
import { type PasswordSource, withPassword } from './password.ts'
import { problemsOf, throwProblems } from './pem.ts'
import { readPkcs12 } from './pkcs12.ts'
import { openPrivateKey } from './private-key.ts'
import { isRequest } from './signing-request.ts'

/** The content of a file of certificates and keys, in its order, without duplicates. */
export interface Bundle {
  readonly file: string
  readonly format: 'PEM' | 'DER' | 'PKCS#12'
  readonly certificates: readonly X509Certificate[]
  readonly keys: readonly KeyObject[]
  /** Certificate requests, DER. */
  readonly requests: readonly Buffer[]
}

interface Content {
  readonly certificates: X509Certificate[]
  readonly keys: KeyObject[]
  readonly requests: Buffer[]
}

/**
 * Reads everything that `partsOf` finds. `passwords` is called only for content that the empty password does not open. Throws `certificate_invalid`
 * with the file, each bad part and what to do. A file with a damaged part is refused as a whole.
 */
export async function readBundle(file: string, passwords: PasswordSource): Promise<Bundle> {
  const bytes = readFile(file)
  if (bytes.length === 0) throw invalid(`${file} is empty: ${COPY_AGAIN}`)
  const content: Content = { certificates: [], keys: [], requests: [] }
  const parts = partsOf(bytes, file)
  const problems: string[] = []
  for (const part of parts) {
    try {
      await readPart(content, part, passwords)
    } catch (error) {
      // An error in the use of the command ends it; problems of the file are reported together.
      if (!(error instanceof PortariaError) || error.code !== 'certificate_invalid') throw error
      problems.push(...problemsOf(error))
    }
  }
  const isNothing = content.certificates.length + content.keys.length + content.requests.length === 0
  if (problems.length === 0 && isNothing) {
    problems.push(
      `${file} holds neither a certificate nor a key: it must be PEM text with lines such as "-----BEGIN CERTIFICATE-----", or a .p12 or .pfx file`,
    )
  }
  throwProblems(`${problems.length} parts of ${file} cannot be used`, problems)
  return {
    file,
    format: formatOf(parts),
    certificates: uniqueCertificates(content.certificates),
    keys: uniqueKeys(content.keys),
    requests: content.requests,
  }
}

export function uniqueCertificates(certificates: readonly X509Certificate[]): X509Certificate[] {
  return certificates.filter((one, index) => certificates.findIndex((other) => other.raw.equals(one.raw)) === index)
}

export function uniqueKeys(keys: readonly KeyObject[]): KeyObject[] {
  return keys.filter((one, index) => keys.findIndex((other) => other.equals(one)) === index)
}

function readFile(file: string): Buffer {
  try {
    return readArgumentFile(file)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    throw invalid(`${file} ${explainUnreadable(code, error)}`, error)
  }
}

function explainUnreadable(code: unknown, error: unknown): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist: check the path'
  if (isPermissionError(error)) return `may not be read by this user: ${permissionAdvice()}`
  if (code === 'EISDIR') return 'is a folder: name a file'
  if (code === 'EFBIG') return 'is longer than 1 MiB, so it is no file of certificates: name another one'
  if (error instanceof UnreadableFile) return error.message
  return `cannot be read (${systemWords(error)})`
}

async function readPkcs12Into(content: Content, { what, der }: FilePart, passwords: PasswordSource): Promise<void> {
  const found = await withPassword(what, passwords, (password) =>
    readPkcs12(der, password).catch((cause: unknown) => {
      const remedy = `or convert it: openssl pkcs12 -in ${what} -out bundle.pem`
      throw invalid(
        `${what} is a PKCS#12 file that cannot be read (${messageOf(cause)}): ${COPY_AGAIN}, ${remedy}`,
        cause,
      )
    }),
  )
  const inside = [...found.certificates, ...found.keys].flatMap((bytes, index) =>
    partsOf(bytes, `${what}: part ${index + 1}`),
  )
  if (inside.length === 0)
    throw invalid(`${what} is a PKCS#12 file with neither a certificate nor a key: export it again, with both`)
  for (const part of inside) await readPart(content, part, passwords)
}

async function readPart(content: Content, part: FilePart, passwords: PasswordSource): Promise<void> {
  const { type, what, der, certificate, problem } = part
  if (problem !== null) throw invalid(`${what} ${problem}`)
  if (certificate !== undefined) content.certificates.push(certificate)
  if (type === 'PKCS#12') await readPkcs12Into(content, part, passwords)
  if (type === 'certificate request') {
    if (!(await isRequest(der))) throw invalid(`${what} is not a whole certificate request: ${COPY_AGAIN}`)
    content.requests.push(der)
  }
  if (type === 'private key') {
    const key = await openPrivateKey(part, passwords)
    if (key === null)
      throw invalid(`${what} is binary, but no whole certificate, key, request or PKCS#12 file: ${COPY_AGAIN}`)
    content.keys.push(key)
  }
  // Parameters, public keys and revocation lists add nothing to a certificate.
}

function formatOf(parts: readonly FilePart[]): Bundle['format'] {
  if (parts[0]?.type === 'PKCS#12') return 'PKCS#12'
  return parts[0]?.isWhole === true ? 'DER' : 'PEM'
}

function invalid(message: string, cause?: unknown): PortariaError {
  return new PortariaError('certificate_invalid', message, cause === undefined ? {} : { cause })
}
