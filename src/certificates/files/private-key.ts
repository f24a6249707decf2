import { createPrivateKey, type KeyObject, type PrivateKeyInput } from 'node:crypto'
import { PortariaError } from '../../platform/errors.ts'
import { COPY_AGAIN, type FilePart, partsOf } from './file-parts.ts'
import { type PasswordSource, withPassword } from './password.ts'
import { explainAbsence, readCertificateFile } from './pem.ts'
import { decryptPkcs8 } from './pkcs12.ts'

/**
 * The private key of a part, decrypted if necessary; null: binary content that is no key. Throws `certificate_invalid` with the place of the part and
 * without any of its content.
 */
export async function openPrivateKey({ pem, der, what }: FilePart, source: PasswordSource): Promise<KeyObject | null> {
  if (pem === undefined) return openDer(der, what, source)
  if (isEncryptedPkcs8(pem)) return openPkcs8(der, what, source)
  if (isEncrypted(pem)) return withPassword(what, source, (passphrase) => tryOpen({ key: pem, passphrase }, what))
  return parseKey(() => createPrivateKey(pem), what)
}

/**
 * The first private key of a file, which must not be encrypted. Throws `certificate_invalid` with the file, its configuration key and what to do.
 */
export function readPrivateKey(file: string, configKey: string): KeyObject {
  return privateKeyOfBytes(readCertificateFile(file, configKey), `${file} (${configKey})`, { file, configKey })
}

/** The same for content that was read already. @param what names the file in errors */
export function privateKeyOfBytes(
  bytes: Buffer,
  what: string,
  place: { readonly file: string; readonly configKey: string },
): KeyObject {
  const parts = partsOf(bytes, what)
  const problems = parts.filter(({ type }) => type !== 'certificate').flatMap(({ problem }) => problem ?? [])
  const part = parts.find(({ type, problem }) => type === 'private key' && problem === null)
  if (part === undefined) throw invalid(`${what} ${problems[0] ?? explainAbsence('private key', parts, place)}`)
  const { pem, der } = part
  if (pem !== undefined && isEncrypted(pem)) throw invalid(`${what} ${ENCRYPTED}`)
  const key = pem === undefined ? parseDer(der) : attempt(() => createPrivateKey(pem))
  if (key === null) throw damaged(what)
  return key
}

const ENCRYPTED =
  'is encrypted with a passphrase, which Portaria cannot ask for: decrypt it with "openssl pkey -in FILE -out FILE.plain" and give the new file mode 0600'

function isEncryptedPkcs8(pem: string): boolean {
  return pem.startsWith('-----BEGIN ENCRYPTED')
}

function isEncrypted(pem: string): boolean {
  return isEncryptedPkcs8(pem) || pem.includes('Proc-Type:')
}

/** A private key in binary form; null: the bytes are no key. */
async function openDer(der: Buffer, what: string, source: PasswordSource): Promise<KeyObject | null> {
  const key = parseDer(der)
  if (key !== null) return key
  const isEncrypted = await decryptPkcs8(der, '').then(() => true, isUnknownEncryption)
  return isEncrypted ? openPkcs8(der, what, source) : null
}

/** A private key in binary form that is not encrypted; null: the bytes are none. */
export function parseDer(der: Buffer): KeyObject | null {
  for (const type of ['pkcs8', 'sec1', 'pkcs1'] as const) {
    const key = attempt(() => createPrivateKey({ key: der, format: 'der', type }))
    if (key !== null) return key
  }
  return null
}

/** forge opens legacy encryption such as RC2-40, which OpenSSL does not; OpenSSL opens newer ones such as scrypt. */
async function openPkcs8(der: Buffer, what: string, source: PasswordSource): Promise<KeyObject> {
  return withPassword(what, source, async (passphrase) => {
    try {
      const plain = await decryptPkcs8(der, passphrase)
      return plain === null
        ? null
        : parseKey(() => createPrivateKey({ key: plain, format: 'der', type: 'pkcs8' }), what)
    } catch (cause) {
      if (cause instanceof PortariaError) throw cause
      if (!isUnknownEncryption(cause)) throw damaged(what, cause)
      return tryOpen({ key: der, format: 'der', type: 'pkcs8', passphrase }, what)
    }
  })
}

function tryOpen(input: PrivateKeyInput, what: string): KeyObject | null {
  try {
    return createPrivateKey(input)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    // Not ERR_OSSL_UNSUPPORTED: with one wrong password in 256 the padding is valid by chance, and OpenSSL has a decoder for no such content.
    if (!/^ERR_OSSL_(EVP|PEM)_(UNSUPPORTED|UNKNOWN)/.test(code)) return null
    throw invalid(
      `${what} is encrypted in a way that is out of use: convert it with "openssl pkcs8 -topk8 -provider legacy -provider default -in FILE -out FILE.new"`,
      cause,
    )
  }
}

function parseKey(read: () => KeyObject, what: string): KeyObject {
  try {
    return read()
  } catch (cause) {
    throw damaged(what, cause)
  }
}

function damaged(what: string, cause?: unknown): PortariaError {
  return invalid(`${what} is not a whole private key: ${COPY_AGAIN}`, cause)
}

function invalid(message: string, cause?: unknown): PortariaError {
  return new PortariaError('certificate_invalid', message, { cause })
}

function isUnknownEncryption(error: unknown): boolean {
  return error instanceof Error && /Unsupported|not a supported/.test(error.message)
}

function attempt<T>(read: () => T): T | null {
  try {
    return read()
  } catch {
    // The caller tries the next format, or reports that none matches.
    return null
  }
}
