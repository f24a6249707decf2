import type { X509Certificate } from 'node:crypto'
import { fingerprintOf, nameOnOneLine } from '../platform/certificate-identity.ts'
import type { OwnEvent } from './event.ts'
import { environmentOf, institutionOf, type Realm, realmOf } from './realm.ts'

/** The sets of certificates in the inventory. */
export const CERTIFICATE_SETS = [
  'server',
  'service-chain',
  'service-client',
  'revocation-list',
  'client',
  'api-client',
  'destination',
  // A private authority, and what it issued.
  'authority',
  'issued',
  // The account's certificates at the service, one set for each environment.
  'service.production',
  'service.sandbox',
  'service-server',
] as const
export type CertificateSet = (typeof CERTIFICATE_SETS)[number]

/** The end of the place of a certificate that is used, but is in none of the files now. */
export const WITHOUT_FILE = 'no file has it any more'

/** Where a certificate is. */
export interface InventoryPlace {
  readonly set: CertificateSet
  /** The file, the destination or the listener. */
  readonly where: string
  /** null: no environment. */
  readonly environment: Realm | null
}

/** A certificate in a list. */
export interface ShortForm {
  /** On one line, like the issuer. */
  readonly subject: string
  readonly issuer: string
  /** SHA-256, hexadecimal, lower case. */
  readonly fingerprint: string
  /** ms since 1970; null: unknown, because the text of the certificate cannot be read. */
  readonly notBefore: number | null
  /** ms since 1970. */
  readonly notAfter: number
}

export function shortFormOf(certificate: X509Certificate): ShortForm & { readonly notBefore: number } {
  const { subject, issuer, validFromDate, validToDate } = certificate
  return {
    subject: nameOnOneLine(subject, NAME_LIMIT),
    issuer: nameOnOneLine(issuer, NAME_LIMIT),
    fingerprint: fingerprintOf(certificate),
    notBefore: validFromDate.getTime(),
    notAfter: validToDate.getTime(),
  }
}

/** In characters. The owner of a certificate chooses the length of its names. */
export const NAME_LIMIT = 300

export interface InventoryCertificate extends InventoryPlace, ShortForm {
  /** Its owner shows a newer certificate, so this one raises no warning. */
  readonly isReplaced: boolean
  /** Why this certificate or its next renewal is not usable by TLS clients, and what to do; null: no such problem. */
  readonly clientUseProblem?: string | null
}

/** A certificate file that cannot be read, so the expiry dates are unknown. */
export interface UnreadableCertificateFile extends InventoryPlace {
  readonly problem: string
}

export type InventoryEntry = InventoryCertificate | UnreadableCertificateFile

const DAY_MS = 86_400_000

/** When something is valid; `notBefore` null: its lifetime is unknown, and judged as a long one. */
export type Validity = Pick<ShortForm, 'notBefore' | 'notAfter'>

/** Time left at which a warning begins, and at which it becomes a problem. */
export interface ExpiryLimits {
  readonly warningMs: number
  readonly problemMs: number
}

const LONGEST: ExpiryLimits = { warningMs: 30 * DAY_MS, problemMs: 7 * DAY_MS }

/**
 * The one rule for everything that expires. Certificates are usually renewed with a third of their lifetime left (RFC 9773 section 4.2 and ACME clients),
 * so a warning begins a day after that, or a twenty-fourth of the lifetime after it if that is shorter, and at most 30 days before the end. It is a
 * problem with a sixth of the lifetime left, at most 7 days.
 */
export function expiryLimitsOf({ notBefore, notAfter }: Validity): ExpiryLimits {
  if (notBefore === null) return LONGEST
  const lifetimeMs = notAfter - notBefore
  return {
    warningMs: Math.min(LONGEST.warningMs, lifetimeMs / 3 - Math.min(DAY_MS, lifetimeMs / 24)),
    problemMs: Math.min(LONGEST.problemMs, lifetimeMs / 6),
  }
}

export type ExpiryJudgement = 'valid' | 'warning' | 'problem' | 'expired'

export function judgeExpiry(validity: Validity, now: number): ExpiryJudgement {
  const leftMs = validity.notAfter - now
  const { warningMs, problemMs } = expiryLimitsOf(validity)
  if (leftMs <= 0) return 'expired'
  if (leftMs < problemMs) return 'problem'
  return leftMs <= warningMs ? 'warning' : 'valid'
}

/** Whole days left; negative once expired. */
export function daysLeft(notAfter: number, now: number): number {
  return Math.floor((notAfter - now) / DAY_MS)
}

/** Days left at which a warning is raised again after the first one; 0: expired. */
const REPEATED_DAYS = [30, 14, 7, 3, 1, 0] as const

/** Days left at which a warning is raised, once each, the first one rounded up. */
export function warningDaysOf(validity: Validity): number[] {
  const first = expiryLimitsOf(validity).warningMs / DAY_MS
  return [Math.ceil(first), ...REPEATED_DAYS.filter((days) => days < first)]
}

/** The lowest number of `warningDaysOf` that is reached; null: none yet. */
export function warningDue(validity: Validity, now: number): number | null {
  if (judgeExpiry(validity, now) === 'valid') return null
  const left = (validity.notAfter - now) / DAY_MS
  return warningDaysOf(validity).findLast((days) => left <= days) ?? null
}

export const EXPIRY_STATES = ['valid', 'expiring', 'expired', 'replaced', 'unreadable'] as const
export type ExpiryState = (typeof EXPIRY_STATES)[number]

/** @param days fewer days left are `expiring`; null: by the lifetime of each */
export function expiryStateOf(watched: InventoryEntry, now: number, days: number | null): ExpiryState {
  if ('problem' in watched) return 'unreadable'
  if (watched.isReplaced) return 'replaced'
  const judgement = judgeExpiry(watched, now)
  if (judgement === 'expired') return 'expired'
  const isSoon = days === null ? judgement !== 'valid' : daysLeft(watched.notAfter, now) < days
  return isSoon ? 'expiring' : 'valid'
}

/** Unreadable files first, then by expiry. */
export function bySoonest(one: InventoryEntry, two: InventoryEntry): number {
  const expiryOf = (watched: InventoryEntry) => ('problem' in watched ? Number.MIN_SAFE_INTEGER : watched.notAfter)
  return expiryOf(one) - expiryOf(two) || one.where.localeCompare(two.where)
}

/** A certificate that an owner showed. */
export interface Shown {
  readonly fingerprint: string
  readonly notAfter: number
  readonly lastSeenAt: number
}

/**
 * Whether the same owner has changed to a certificate that expires later. The later one must have been shown at least a day after the last use of
 * this one, because several machines of an owner may use different certificates; for an expired certificate, any later use counts.
 */
export function isReplaced(one: Shown, all: readonly Shown[], now: number): boolean {
  const since = one.lastSeenAt + (one.notAfter <= now ? 0 : DAY_MS)
  return all.some((other) => other.notAfter > one.notAfter && other.lastSeenAt >= since)
}

/** A warning that is due, and its event. Raised once for a certificate, its set and a number of days. */
export interface ExpiryWarning {
  /** client-use: about the certificate's use, not its expiry; raised once for a certificate. */
  readonly set: CertificateSet | 'client-use'
  readonly fingerprint: string
  /** Days left at which it is raised; 0: expired. */
  readonly warning: number
  readonly where: string
  readonly subject: string
  readonly issuer: string
  readonly notAfter: number
  readonly daysLeft: number
  /** A problem other than expiry, and what to do. */
  readonly problem?: string
  readonly event: OwnEvent
}

/** One warning for each certificate, also where it is in several places. */
export function warningsDue(watched: readonly InventoryEntry[], now: number): ExpiryWarning[] {
  const certificates = watched.filter((one) => !('problem' in one) && !one.isReplaced) as InventoryCertificate[]
  const same = Map.groupBy(certificates, ({ set, fingerprint }) => `${set} ${fingerprint}`)
  return [...same.values()].flatMap((places) => {
    const [validity] = places as [InventoryCertificate]
    const warning = warningDue(validity, now)
    return warning === null ? [] : [warningOf(places, warning, now)]
  })
}

/** One warning for each certificate that is not for TLS clients, or whose next renewal probably is not. */
export function clientUseWarnings(watched: readonly InventoryEntry[], now: number): ExpiryWarning[] {
  const certificates = watched.filter((one) => !('problem' in one) && !one.isReplaced) as InventoryCertificate[]
  const flawed = certificates.filter(({ clientUseProblem }) => clientUseProblem != null)
  return [...Map.groupBy(flawed, ({ fingerprint }) => fingerprint).values()].map((places) => {
    const [{ set, clientUseProblem }] = places as [InventoryCertificate]
    const { event, ...facts } = warningOf(places, 0, now)
    const { subject, issuer, fingerprint, where, notAfter } = facts
    const problem = clientUseProblem ?? ''
    const body = { type: 'certificate.loses_client_use', set, where, subject, issuer, fingerprint, problem }
    const end = { notAfter: new Date(notAfter).toISOString() }
    return {
      ...facts,
      set: 'client-use',
      problem,
      event: { ...event, status: 'loses-client-use', body: JSON.stringify({ ...body, ...end }) },
    }
  })
}

const NAMED_PLACES = 3

function warningOf(places: readonly InventoryCertificate[], warning: number, now: number): ExpiryWarning {
  const { set, fingerprint, subject, issuer, notAfter } = places[0] as InventoryCertificate
  const names = [...new Set(places.map(({ where }) => where))]
  const others = names.length > NAMED_PLACES ? ` and ${names.length - NAMED_PLACES} more` : ''
  const where = `${names.slice(0, NAMED_PLACES).join(', ')}${others}`
  const facts = { set, where, subject, issuer, fingerprint, notAfter, daysLeft: daysLeft(notAfter, now), warning }
  const body = { type: 'certificate.expiring', ...facts, notAfter: new Date(notAfter).toISOString() }
  return {
    ...facts,
    event: {
      environment: realmOfAll(places.map(({ environment }) => environment)),
      madeAt: now,
      subject: fingerprint,
      status: warning === 0 ? 'expired' : 'expiring',
      body: JSON.stringify(body),
    },
  }
}

/** The institution only if all are of it; sandbox only if all are sandbox. */
function realmOfAll(realms: readonly (Realm | null)[]): Realm {
  const [institution = null, ...others] = new Set(realms.map((realm) => realm && institutionOf(realm)))
  const isSandboxOnly = realms.every((realm) => realm !== null && environmentOf(realm) === 'sandbox')
  return realmOf(others.length === 0 ? institution : null, isSandboxOnly ? 'sandbox' : 'production')
}
