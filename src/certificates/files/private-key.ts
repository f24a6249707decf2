import { createPrivateKey, type KeyObject, type PrivateKeyInput } from 'node:crypto'
import { PortariaError } from '../../platform/errors.ts'
import { type PasswordSource, withPassword } from './password.ts'
import type { PemBlock } from './pem-blocks.ts'
import { decryptPkcs8 } from './pkcs12.ts'

/**
 * The private key of a PEM block, decrypted if necessary. Throws `certificate_invalid` with `what` and without any of the content.
 */
export async function parsePrivateKeyBlock(
  { label, lines }: PemBlock,
  what: string,
  source: PasswordSource,
): Promise<KeyObject> {
  if (label === 'ENCRYPTED PRIVATE KEY') return openPkcs8(Buffer.from(lines.join(''), 'base64'), what, source)
  const isEncrypted = lines.some((line) => /^Proc-Type: *4, *ENCRYPTED/.test(line))
  // An empty line ends the headers, if there are any.
  const body = isEncrypted ? lines : lines.filter((line) => line !== '')
  const pem = `-----BEGIN ${label}-----\n${body.join('\n')}\n-----END ${label}-----\n`
  if (isEncrypted) return withPassword(what, source, (passphrase) => tryOpen({ key: pem, passphrase }, what))
  return parseKey(() => createPrivateKey(pem), what)
}

/** A private key in binary form; null: the bytes are no key. */
export async function parsePrivateKeyDer(der: Buffer, what: string, source: PasswordSource): Promise<KeyObject | null> {
  for (const type of ['pkcs8', 'sec1', 'pkcs1'] as const) {
    const key = attempt(() => createPrivateKey({ key: der, format: 'der', type }))
    if (key !== null) return key
  }
  const isEncrypted = await decryptPkcs8(der, '').then(() => true, isUnknownEncryption)
  return isEncrypted ? openPkcs8(der, what, source) : null
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
    throw new PortariaError(
      'certificate_invalid',
      `${what} is encrypted in a way that is out of use: convert it with "openssl pkcs8 -topk8 -provider legacy -provider default -in FILE -out FILE.new"`,
      { cause },
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

function damaged(what: string, cause: unknown): PortariaError {
  return new PortariaError(
    'certificate_invalid',
    `${what} is not a whole private key: copy the whole file again from where it came`,
    { cause },
  )
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
