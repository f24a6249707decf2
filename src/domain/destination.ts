import type { Environment } from './event.ts'
import { KINDS_BY_NAME_ONLY } from './event.ts'

/** `retired`: left the configuration file. `deleted`: removed by a command. Rows are never removed. */
/** Which destinations beside those that are active or paused. */
export interface DestinationSelection {
  /** Deleted and retired ones that something still refers to, too. */
  readonly removed?: boolean
  /** Those that have left, and for which something may still wait. */
  readonly leaving?: boolean
}

export type DestinationState = 'active' | 'paused' | 'retired' | 'deleted'
/** `registration`: made through the service's contract (Document 1, endpoints 18 and 22). */
export type DestinationOrigin = 'configuration' | 'operator' | 'registration'

export const DELIVERY_ORDERS = ['none', 'subject'] as const
export type DeliveryOrder = (typeof DELIVERY_ORDERS)[number]
export const ON_EXHAUSTED = ['hold', 'continue'] as const
export type OnExhausted = (typeof ON_EXHAUSTED)[number]

/** `original`: the bytes as received. `event`: our own JSON envelope around them. */
export const DELIVERY_FORMATS = ['original', 'event'] as const
export type DeliveryFormat = (typeof DELIVERY_FORMATS)[number]

/** Only events whose subject is one of `exact`, or begins with one of `prefix`. */
export interface SubjectFilter {
  readonly exact: readonly string[]
  readonly prefix: readonly string[]
}

export interface DestinationSettings {
  readonly name: string
  readonly url: string
  /** null: every business kind (neither probe nor operator). */
  readonly kinds: readonly string[] | null
  /** null: every environment. */
  readonly environments: readonly Environment[] | null
  /** null: every event, also those without a subject; a filter never matches those. */
  readonly subjects: SubjectFilter | null
  readonly format: DeliveryFormat
  /** Standard Webhooks secrets, `whsec_` + base64; the first signs, the others sign beside it while they rotate out. */
  readonly secrets: readonly string[]
  readonly timeoutMs: number
  readonly concurrency: number
  /** Deliveries a second; null: no bound. */
  readonly rateLimit: number | null
  /** Waits of its own retry schedule, in ms; null: `forwarding.schedule`. */
  readonly schedule: readonly number[] | null
  /** `subject`: the deliveries of one subject one after the other, in the order of their events. */
  readonly order: DeliveryOrder
  /** What an exhausted delivery does to its subject, with `order: subject`: holds it until it is retried or skipped, or lets it continue. */
  readonly onExhausted: OnExhausted
  /** PEM of the authorities that its certificate may come from, in place of the public ones; null: those. */
  readonly authorities: string | null
  /** Extra request headers, [name, value]. */
  readonly headers: readonly (readonly [string, string])[]
}

export interface Destination extends DestinationSettings {
  readonly id: number
  readonly origin: DestinationOrigin
  /** UUID of the registration that it is; null: it is none. */
  readonly registrationId: string | null
  /** The client whose own it is; null: the operator's, or the configuration file's. */
  readonly owner: string | null
  /** Until when all secrets but the first sign beside it; null: without an end. */
  readonly previousSecretUntil: number | null
  readonly state: DestinationState
  /** Why it is paused, in words; null when it is not. */
  readonly pauseReason: string | null
  /** Since when its circuit is open: only a probe is sent to it; null: it is closed. */
  readonly circuitOpenedAt: number | null
  readonly createdAt: number
}

export const DESTINATION_LIMIT = 500
/** Of one client. */
export const DESTINATIONS_PER_OWNER = 20

/** What a destination has that names nothing else. */
export const DESTINATION_DEFAULTS = {
  kinds: null,
  environments: null,
  subjects: null,
  format: 'original',
  rateLimit: null,
  schedule: null,
  order: 'none',
  onExhausted: 'hold',
  authorities: null,
} as const

/** A paused destination is owed its deliveries too; it gets them when it resumes. */
export function isSubscribed(
  destination: Destination,
  event: { readonly kind: string; readonly environment: Environment; readonly subject: string | null },
): boolean {
  if (destination.state !== 'active' && destination.state !== 'paused') return false
  if (destination.environments !== null && !destination.environments.includes(event.environment)) return false
  return isKindWanted(destination.kinds, event.kind) && isSubjectWanted(destination.subjects, event.subject)
}

function isSubjectWanted(filter: SubjectFilter | null, subject: string | null): boolean {
  if (filter === null) return true
  if (subject === null) return false
  return filter.exact.includes(subject) || filter.prefix.some((prefix) => subject.startsWith(prefix))
}

/** No list of kinds means every kind but those that must be named. */
export function isKindWanted(kinds: readonly string[] | null, kind: string): boolean {
  return kinds === null ? !KINDS_BY_NAME_ONLY.includes(kind) : kinds.includes(kind)
}

/** What it signs with now: the first secret, and those that rotate out beside it. */
export function signingSecrets(
  { secrets, previousSecretUntil }: Pick<Destination, 'secrets' | 'previousSecretUntil'>,
  now: number,
): readonly string[] {
  return previousSecretUntil !== null && now >= previousSecretUntil ? secrets.slice(0, 1) : secrets
}
