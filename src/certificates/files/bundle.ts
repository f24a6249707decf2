import { type KeyObject, X509Certificate } from 'node:crypto'
import { messageOf, PortariaError } from '../../platform/errors.ts'
import { isPermissionError, permissionAdvice } from '../../platform/permission.ts'
import { readArgumentFile, UnreadableFile } from '../../platform/regular-file.ts'
import { type PasswordSource, withPassword } from './password.ts'
import { parseCertificateBlock, problemsOf, throwProblems } from './pem.ts'
import { type BlockNames, type PemBlock, splitBlocks } from './pem-blocks.ts'
import { isPkcs12, readPkcs12 } from './pkcs12.ts'
import { parsePrivateKeyBlock, parsePrivateKeyDer } from './private-key.ts'
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

const EVERY_BLOCK: BlockNames = { whole: /./, intended: /CERTIFICATE|KEY/i }
const COPY_AGAIN = 'copy the whole file again from where it came'

/**
 * Reads PEM (in any order, with comments and Windows line ends), binary (DER) certificates, keys and requests, and PKCS#12.
 * `passwords` is called only for content that the empty password does not open. Throws `certificate_invalid` with the file, each bad part and what
 * to do. A file with a damaged part is refused as a whole.
 */
export async function readBundle(file: string, passwords: PasswordSource): Promise<Bundle> {
  const bytes = readFile(file)
  const content: Content = { certificates: [], keys: [], requests: [] }
  const format = await readInto(content, file, bytes, passwords)
  return {
    file,
    format,
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
  return `cannot be read (${messageOf(error)})`
}

async function readInto(
  content: Content,
  file: string,
  bytes: Buffer,
  passwords: PasswordSource,
): Promise<Bundle['format']> {
  if (bytes.length === 0) throw invalid(`${file} is empty: ${COPY_AGAIN}`)
  if (isPkcs12(bytes)) {
    await readPkcs12Into(content, file, bytes, passwords)
    return 'PKCS#12'
  }
  if (isDer(bytes)) {
    await readDerInto(content, file, bytes, passwords)
    return 'DER'
  }
  await readPemInto(content, file, decodeText(bytes), passwords)
  return 'PEM'
}

/** An ASN.1 SEQUENCE, which no text resembles. */
function isDer(bytes: Buffer): boolean {
  const [tag, length = 0] = bytes
  return tag === 0x30 && (length >= 0x80 || length === bytes.length - 2)
}

async function readPkcs12Into(
  { certificates, keys }: Content,
  file: string,
  bytes: Buffer,
  passwords: PasswordSource,
): Promise<void> {
  const found = await withPassword(file, passwords, (password) =>
    readPkcs12(bytes, password).catch((cause: unknown) => {
      const remedy = `or convert it: openssl pkcs12 -in ${file} -out bundle.pem`
      throw invalid(
        `${file} is a PKCS#12 file that cannot be read (${messageOf(cause)}): ${COPY_AGAIN}, ${remedy}`,
        cause,
      )
    }),
  )
  for (const [index, der] of found.certificates.entries())
    certificates.push(parseCertificate(der, `${file}: certificate ${index + 1}`))
  for (const [index, der] of found.keys.entries()) {
    const key = await parsePrivateKeyDer(der, `${file}: key ${index + 1}`, passwords)
    if (key === null) throw invalid(`${file}: key ${index + 1} cannot be read: ${COPY_AGAIN}`)
    keys.push(key)
  }
  if (found.certificates.length + found.keys.length === 0)
    throw invalid(`${file} is a PKCS#12 file with neither a certificate nor a key: export it again, with both`)
}

async function readDerInto(
  { certificates, keys, requests }: Content,
  file: string,
  der: Buffer,
  passwords: PasswordSource,
): Promise<void> {
  // PKCS#7 SignedData begins with its object identifier (RFC 2315 section 14).
  if (der.subarray(0, 20).includes(Buffer.from('06092a864886f70d010702', 'hex'))) throw pkcs7(file, ' -inform der')
  const certificate = tryParse(der)
  if (certificate !== null) {
    if (certificate.raw.length !== der.length) throw invalid(`${file} has bytes behind its certificate: ${COPY_AGAIN}`)
    certificates.push(certificate)
    return
  }
  if (await isRequest(der)) {
    requests.push(der)
    return
  }
  const key = await parsePrivateKeyDer(der, file, passwords)
  if (key === null)
    throw invalid(`${file} is binary, but no whole certificate, key, request or PKCS#12 file: ${COPY_AGAIN}`)
  keys.push(key)
}

async function readPemInto(content: Content, file: string, text: string, passwords: PasswordSource): Promise<void> {
  const blocks = splitBlocks(text, EVERY_BLOCK)
  const problems: string[] = []
  for (const [index, block] of blocks.entries()) {
    const what = `${file}: block ${index + 1}`
    try {
      await readBlock(content, block, what, passwords)
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
}

async function readBlock(content: Content, block: PemBlock, what: string, passwords: PasswordSource): Promise<void> {
  const { label, broken, lines } = block
  if (broken !== null) throw invalid(`${what} ${broken}: ${COPY_AGAIN}`)
  if (/^(NEW )?CERTIFICATE REQUEST$/.test(label)) {
    const der = Buffer.from(lines.join(''), 'base64')
    if (!(await isRequest(der))) throw invalid(`${what} is not a whole certificate request: ${COPY_AGAIN}`)
    content.requests.push(der)
  } else if (/CERTIFICATE/.test(label)) {
    const certificate = parseCertificateBlock(block)
    if (!(certificate instanceof X509Certificate)) throw invalid(`${what} ${certificate}`)
    content.certificates.push(certificate)
  } else if (/PRIVATE KEY$/.test(label)) {
    content.keys.push(await parsePrivateKeyBlock(block, what, passwords))
  } else if (/^PKCS ?#?7|^CMS$/.test(label)) {
    throw pkcs7(what, '')
  }
  // Parameters, public keys and revocation lists add nothing to a certificate.
}

function parseCertificate(der: Buffer, what: string): X509Certificate {
  const certificate = tryParse(der)
  if (certificate === null) throw invalid(`${what} cannot be read: ${COPY_AGAIN}`)
  return certificate
}

function tryParse(der: Buffer): X509Certificate | null {
  try {
    return new X509Certificate(der)
  } catch {
    // The caller tries other formats, or reports the problem.
    return null
  }
}

/** Windows editors may save PEM text as UTF-16. */
function decodeText(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return bytes.toString('utf16le')
  return bytes.toString('utf8')
}

function pkcs7(what: string, form: string): PortariaError {
  return invalid(
    `${what} is a PKCS#7 file: convert it with "openssl pkcs7${form} -print_certs -in FILE -out FILE.pem" and use that`,
  )
}

function invalid(message: string, cause?: unknown): PortariaError {
  return new PortariaError('certificate_invalid', message, cause === undefined ? {} : { cause })
}
