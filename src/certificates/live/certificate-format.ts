import { createPublicKey, type KeyObject } from 'node:crypto'

const CURVES: Record<string, string> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' }

const PADDINGS: Record<string, string> = { ecdsa: 'ECDSA', rsa: 'RSA', dsa: 'DSA' }

/** Type and size of a key in words, such as "EC P-256" or "RSA 2048 bits". Bytes are DER SubjectPublicKeyInfo. */
export function keyTypeOf(key: KeyObject | ArrayBuffer): string {
  const { asymmetricKeyType = '', asymmetricKeyDetails } = toKeyObject(key) ?? {}
  const { namedCurve, modulusLength } = asymmetricKeyDetails ?? {}
  switch (asymmetricKeyType) {
    case '':
      return 'unknown'
    case 'ec':
      return `EC ${CURVES[namedCurve ?? ''] ?? namedCurve}`
    case 'ed25519':
      return 'Ed25519'
    case 'ed448':
      return 'Ed448'
    default:
      return `${asymmetricKeyType.toUpperCase()}${modulusLength === undefined ? '' : ` ${modulusLength} bits`}`
  }
}

/** OpenSSL's name of a signature algorithm in words: `ecdsa-with-SHA256` is "ECDSA with SHA-256". */
export function signatureAlgorithmOf(name: string | undefined): string {
  if (name === undefined) return 'unknown'
  const [, ecdsa, hash, encryption] =
    /^(?:(ecdsa)-with-)?(?:(sha\d+|md5))?(?:With(RSA|DSA)Encryption)?$/i.exec(name) ?? []
  const padding = PADDINGS[(ecdsa ?? encryption ?? '').toLowerCase()]
  if (padding === undefined || hash === undefined) return name
  return `${padding} with ${hash.toUpperCase().replace(/^SHA/, 'SHA-')}`
}

/** "in 30 days", "within 24 hours", "3 days ago". Whole days: less than one may end tomorrow. */
export function daysInWords(days: number): string {
  const count = Math.abs(days) === 1 ? '1 day' : `${Math.abs(days)} days`
  if (days === 0) return 'within 24 hours'
  return days > 0 ? `in ${count}` : `${count} ago`
}

function toKeyObject(key: KeyObject | ArrayBuffer): KeyObject | null {
  if (!(key instanceof ArrayBuffer)) return key
  try {
    return createPublicKey({ key: Buffer.from(key), format: 'der', type: 'spki' })
  } catch {
    // A key of an algorithm that OpenSSL does not know.
    return null
  }
}
