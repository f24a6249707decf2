/** The sets of certificates whose end is watched. */
export const CERTIFICATE_SETS = ['server', 'service-chain', 'service-client', 'client', 'destination'] as const
export type CertificateSet = (typeof CERTIFICATE_SETS)[number]

export interface WatchedCertificate {
  readonly set: CertificateSet
  /** The file, the destination or the listener where it is. */
  readonly where: string
  readonly subject: string
  readonly issuer: string
  /** SHA-256, hexadecimal, lower case. */
  readonly fingerprint: string
  /** ms since 1970. */
  readonly notAfter: number
}

/** Days left at which a warning goes out, once each; 0: it has expired. */
export const WARNING_DAYS = [30, 14, 7, 3, 1, 0] as const
export type WarningDays = (typeof WARNING_DAYS)[number]

const DAY_MS = 86_400_000

/** Whole days that are left; negative when it has expired. */
export function daysLeft(notAfter: number, now: number): number {
  return Math.floor((notAfter - now) / DAY_MS)
}

/** The warning that is due: the lowest that has been reached; null: none yet. */
export function warningDue(notAfter: number, now: number): WarningDays | null {
  const left = (notAfter - now) / DAY_MS
  return WARNING_DAYS.findLast((days) => left <= days) ?? null
}
