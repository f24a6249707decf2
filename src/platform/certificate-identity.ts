import type { X509Certificate } from 'node:crypto'
import { printable } from './control-characters.ts'

/**
 * A subject or an issuer on one line. Node writes one attribute on each line, and gives undefined for an empty name.
 * @param limit in characters: a caller decides how long its names are
 */
export function nameOnOneLine(name: string | undefined, limit = Number.POSITIVE_INFINITY): string {
  return printable((name ?? '').trim().replaceAll('\n', ', ')).slice(0, limit)
}

/** SHA-256, hexadecimal in lower case, without colons. */
export function fingerprintOf({ fingerprint256 }: Pick<X509Certificate, 'fingerprint256'>): string {
  return fingerprint256.replaceAll(':', '').toLowerCase()
}
