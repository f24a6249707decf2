import type { EventAuthentication } from './event.ts'
import { KINDS_BY_NAME_ONLY } from './event.ts'
import { type Environment, environmentOf, institutionOf, type Realm } from './realm.ts'

/** Which destinations to list beside active and paused ones. */
export interface DestinationSelection {
  /** Deleted and retired ones that are still referred to. */
  readonly removed?: boolean
  /** Deleted and retired ones that may have pending deliveries. */
  readonly leaving?: boolean
}

/** `retired`: left the configuration file. `deleted`: removed by a command. Rows are never removed. */
export type DestinationState = 'active' | 'paused' | 'retired' | 'deleted'
/**
 * `registration`: created through the service API (Document 1, endpoints 18 and 22). `route`: created by the metadata of a charge (Document 2, 3 and
 * 12); it gets only events that a charge route leads to it.
 */
export const DESTINATION_ORIGINS = ['configuration', 'operator', 'registration', 'route'] as const
export type DestinationOrigin = (typeof DESTINATION_ORIGINS)[number]

export const DELIVERY_ORDERS = ['none', 'subject'] as const
export type DeliveryOrder = (typeof DELIVERY_ORDERS)[number]
export const ON_EXHAUSTED = ['hold', 'continue'] as const
export type OnExhausted = (typeof ON_EXHAUSTED)[number]

/** `original`: the received bytes. `event`: our JSON envelope around them. */
export const DELIVERY_FORMATS = ['original', 'event'] as const
export type DeliveryFormat = (typeof DELIVERY_FORMATS)[number]

/** `mutual-tls`: no events of callbacks whose caller showed no client certificate (`path-token`). Those that the gateway fetched or created stay. */
export const AUTHENTICATION_FILTERS = ['any', 'mutual-tls'] as const
export type AuthenticationFilter = (typeof AUTHENTICATION_FILTERS)[number]

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
  /** null: every institution. */
  readonly institutions: readonly string[] | null
  /** null: every event, also those without a subject; a filter never matches those. */
  readonly subjects: SubjectFilter | null
  readonly authentication: AuthenticationFilter
  readonly format: DeliveryFormat
  /** Standard Webhooks secrets, `whsec_` + base64. The first one signs; the others sign too until their rotation ends. */
  readonly secrets: readonly string[]
  readonly timeoutMs: number
  readonly concurrency: number
  /** Deliveries a second; null: no bound. */
  readonly rateLimit: number | null
  /** Waits of its retry schedule, in ms; null: `forwarding.schedule`. */
  readonly schedule: readonly number[] | null
  /** `subject`: deliveries of a subject one after the other, in the order of their events. */
  readonly order: DeliveryOrder
  /** With `order: subject`: whether an exhausted delivery blocks its subject until it is retried or skipped, or the subject continues. */
  readonly onExhausted: OnExhausted
  /** PEM of the authorities of its server certificate; null: the public ones. */
  readonly authorities: string | null
  /** Extra request headers, [name, value]. */
  readonly headers: readonly (readonly [string, string])[]
}

export interface Destination extends DestinationSettings {
  readonly id: number
  readonly origin: DestinationOrigin
  /** UUID of its registration; null: none. */
  readonly registrationId: string | null
  /** The client's id; null: the operator, or the configuration file. */
  readonly owner: string | null
  /** Until when the other secrets sign beside the first one, in ms since 1970; null: without an end. */
  readonly previousSecretUntil: number | null
  readonly state: DestinationState
  /** Why it is paused, in words; null: not paused. */
  readonly pauseReason: string | null
  /** Since when its circuit is open (only probes are sent), in ms since 1970; null: closed. */
  readonly circuitOpenedAt: number | null
  readonly createdAt: number
}

/** Every reason why the client certificate keeps deliveries from being sent begins with it. */
const CLIENT_CERTIFICATE = 'the client certificate'

/** Whether the gateway paused it because of the client certificate: it resumes such a destination by itself. */
export function isPausedForCertificate({ state, pauseReason }: Pick<Destination, 'state' | 'pauseReason'>): boolean {
  return state === 'paused' && pauseReason !== null && pauseReason.startsWith(CLIENT_CERTIFICATE)
}

export const DESTINATION_LIMIT = 500
/** Limit for a client. */
export const DESTINATIONS_PER_OWNER = 20

/** The defaults of a destination. */
export const DESTINATION_DEFAULTS = {
  kinds: null,
  environments: null,
  institutions: null,
  subjects: null,
  authentication: 'any',
  format: 'original',
  rateLimit: null,
  schedule: null,
  order: 'none',
  onExhausted: 'hold',
  authorities: null,
} as const

/** The fields of an event that the filters of a destination look at. */
export interface FilteredEvent {
  readonly kind: string
  readonly environment: Realm
  readonly subject: string | null
  readonly authentication: EventAuthentication
}

/** Whether a destination gets the event by its subscription. A paused one gets it when it is resumed. One of origin `route` never does. */
export function isSubscribed(destination: Destination, event: FilteredEvent): boolean {
  if (destination.origin === 'route') return false
  if (destination.state !== 'active' && destination.state !== 'paused') return false
  if (!isRealmWanted(destination, event.environment)) return false
  if (destination.authentication === 'mutual-tls' && event.authentication === 'path-token') return false
  return isKindWanted(destination.kinds, event.kind) && isSubjectWanted(destination.subjects, event.subject)
}

export function isRealmWanted(
  { origin, environments, institutions }: Pick<Destination, 'origin' | 'environments' | 'institutions'>,
  realm: Realm,
): boolean {
  if (environments !== null && !environments.includes(environmentOf(realm))) return false
  const institution = institutionOf(realm)
  // Apps register by the contract of one service: that of the unnamed institution.
  if (institutions === null) return institution === null || origin !== 'registration'
  return institution !== null && institutions.includes(institution)
}

function isSubjectWanted(filter: SubjectFilter | null, subject: string | null): boolean {
  if (filter === null) return true
  if (subject === null) return false
  return filter.exact.includes(subject) || filter.prefix.some((prefix) => subject.startsWith(prefix))
}

/** The kind of a test event of which nothing else is said. */
export const TEST_KIND = 'operator'

/** The kinds of a test event for a destination. @param kinds those of the configured callbacks */
export function testKindsOf(
  destination: Pick<Destination, 'kinds'>,
  kinds: readonly string[],
): readonly [typeof TEST_KIND, ...string[]] {
  const received = [...kinds, ...KINDS_BY_NAME_ONLY].filter((kind) => isKindWanted(destination.kinds, kind))
  return [TEST_KIND, ...received.filter((kind) => kind !== TEST_KIND)]
}

/** Without a list of kinds: every kind except those that must be named. */
export function isKindWanted(kinds: readonly string[] | null, kind: string): boolean {
  return kinds === null ? !KINDS_BY_NAME_ONLY.includes(kind) : kinds.includes(kind)
}

/** The secrets that sign now: the first one, and those whose rotation has not ended. */
export function signingSecrets(
  { secrets, previousSecretUntil }: Pick<Destination, 'secrets' | 'previousSecretUntil'>,
  now: number,
): readonly string[] {
  return previousSecretUntil !== null && now >= previousSecretUntil ? secrets.slice(0, 1) : secrets
}
