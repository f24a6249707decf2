import type { X509Certificate } from 'node:crypto'
import { SocketAddress } from 'node:net'
import { nameOnOneLine } from '../../platform/certificate-identity.ts'
import { isSelfSigned } from '../files/chain-order.ts'
import { keyTypeOf, signatureAlgorithmOf } from './certificate-format.ts'
import { keyUsagesOf } from './key-usage.ts'

export type CertificateUse = 'server' | 'client' | 'authority'

/** A certificate in words. */
export interface CertificateDescription {
  readonly subjectName: string
  readonly issuerName: string
  /** Hosts, addresses and mailboxes in the subject alternative names. */
  readonly names: readonly string[]
  readonly notBefore: Date
  readonly notAfter: Date
  readonly state: 'valid' | 'expired' | 'not yet valid'
  /** Whole days until expiry; negative once expired. */
  readonly daysLeft: number
  readonly usableAs: readonly CertificateUse[]
  readonly isSelfSigned: boolean
  readonly keyType: string
  readonly signatureAlgorithm: string
  /** Hexadecimal; a negative one begins with `-`. */
  readonly serialNumber: string
  /** SHA-256 and SHA-1, hexadecimal in pairs with colons. */
  readonly fingerprint256: string
  readonly fingerprint: string
}

const DAY_MS = 86_400_000
const ANY_USE = '2.5.29.37.0'
const SERVER_USE = '1.3.6.1.5.5.7.3.1'
const CLIENT_USE = '1.3.6.1.5.5.7.3.2'

export function describeCertificate(certificate: X509Certificate, now: Date): CertificateDescription {
  const { validFromDate, validToDate, serialNumber, fingerprint256, fingerprint } = certificate
  return {
    subjectName: nameOnOneLine(certificate.subject),
    issuerName: nameOnOneLine(certificate.issuer),
    names: namesOf(certificate),
    notBefore: validFromDate,
    notAfter: validToDate,
    state: now > validToDate ? 'expired' : now < validFromDate ? 'not yet valid' : 'valid',
    daysLeft: daysLeftOf(certificate, now),
    usableAs: usesOf(certificate),
    isSelfSigned: isSelfSigned(certificate),
    keyType: publicKeyTypeOf(certificate),
    signatureAlgorithm: signatureAlgorithmOf(certificate.signatureAlgorithm),
    serialNumber,
    fingerprint256,
    fingerprint,
  }
}

/** Whole days until expiry: 0 in the last 24 hours, negative once expired. */
export function daysLeftOf({ validToDate }: X509Certificate, now: Date): number {
  return Math.floor((validToDate.getTime() - now.getTime()) / DAY_MS)
}

/** Decided as OpenSSL does: by extended key usage, key usage and CA:TRUE. */
export function usesOf(certificate: X509Certificate): CertificateUse[] {
  const extended: readonly string[] | undefined = certificate.keyUsage
  const usages = keyUsagesOf(certificate)
  const may = (use: string) => extended === undefined || extended.includes(use) || extended.includes(ANY_USE)
  const uses: CertificateUse[] = []
  if (may(SERVER_USE) && usages.mayServe) uses.push('server')
  if (may(CLIENT_USE) && usages.maySign) uses.push('client')
  if (certificate.ca && usages.mayIssue) uses.push('authority')
  return uses
}

/** The subject alternative names without their types. */
export function namesOf({ subjectAltName = '' }: X509Certificate): string[] {
  // Node writes unusual values as JSON strings, so that a name cannot inject another one.
  return [...subjectAltName.matchAll(/(?:^|, )([^:,]+):("(?:[^"\\]|\\.)*"|[^,]*)/g)].map(([, kind, value = '']) => {
    if (value.startsWith('"')) return String(JSON.parse(value))
    return kind === 'IP Address' && value.includes(':') ? shortAddress(value) : value
  })
}

function shortAddress(address: string): string {
  return SocketAddress.parse(`[${address}]`)?.address ?? address
}

function publicKeyTypeOf(certificate: X509Certificate): string {
  try {
    return keyTypeOf(certificate.publicKey)
  } catch {
    // A key of an algorithm that OpenSSL does not know.
    return 'unknown'
  }
}
