import type { Environment } from './event.ts'
import { KINDS_BY_NAME_ONLY } from './event.ts'

/** `retired`: left the configuration file. `deleted`: removed by a command. Rows are never removed. */
export type DestinationState = 'active' | 'paused' | 'retired' | 'deleted'
export type DestinationOrigin = 'configuration' | 'operator'

export const DELIVERY_ORDERS = ['none', 'subject'] as const
export type DeliveryOrder = (typeof DELIVERY_ORDERS)[number]
export const ON_EXHAUSTED = ['hold', 'continue'] as const
export type OnExhausted = (typeof ON_EXHAUSTED)[number]

export interface DestinationSettings {
  readonly name: string
  readonly url: string
  /** null: every business kind (neither probe nor operator). */
  readonly kinds: readonly string[] | null
  /** null: every environment. */
  readonly environments: readonly Environment[] | null
  /** Standard Webhooks secrets, `whsec_` + base64; the first signs, the others sign beside it while they rotate out. */
  readonly secrets: readonly string[]
  readonly timeoutMs: number
  readonly concurrency: number
  /** Deliveries a second; null: no bound. */
  readonly rate: number | null
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
  readonly state: DestinationState
  /** Why it is paused, in words; null when it is not. */
  readonly pauseReason: string | null
  /** Since when its circuit is open: only a probe is sent to it; null: it is closed. */
  readonly circuitOpenedAt: number | null
  readonly createdAt: number
}

export const DESTINATION_LIMIT = 500

/** What a destination has that names nothing else. */
export const DESTINATION_DEFAULTS = {
  rate: null,
  schedule: null,
  order: 'none',
  onExhausted: 'hold',
  authorities: null,
} as const

/** A paused destination is owed its deliveries too; it gets them when it resumes. */
export function isOwed(
  destination: Destination,
  event: { readonly kind: string; readonly environment: Environment },
): boolean {
  if (destination.state !== 'active' && destination.state !== 'paused') return false
  if (destination.environments !== null && !destination.environments.includes(event.environment)) return false
  return isKindWanted(destination.kinds, event.kind)
}

/** No list of kinds means every kind but those that must be named. */
export function isKindWanted(kinds: readonly string[] | null, kind: string): boolean {
  return kinds === null ? !KINDS_BY_NAME_ONLY.includes(kind) : kinds.includes(kind)
}
