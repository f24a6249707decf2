import type { DeliveryState } from '../../domain/delivery.ts'
import type {
  DeliveryFormat,
  DeliveryOrder,
  DestinationOrigin,
  DestinationState,
  OnExhausted,
} from '../../domain/destination.ts'
import type { Environment } from '../../domain/event.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import type { Viewer } from '../frame/page.ts'
import { ageOf } from '../parts/age.ts'
import { badge } from '../parts/badge.ts'
import { type Html, html } from '../parts/html.ts'
import type { ShownWait } from '../parts/next-attempt.ts'

/** A destination of the API. */
export interface ShownDestination {
  readonly id: string
  readonly name: string
  readonly url: string
  readonly state: DestinationState
  readonly pauseReason: string | null
  readonly kinds: readonly string[] | null
  readonly environments: readonly Environment[] | null
  readonly subjects: { readonly exact: readonly string[]; readonly prefix: readonly string[] } | null
  readonly format: DeliveryFormat
  readonly timeoutMs: number
  readonly concurrency: number
  readonly rateLimit: number | null
  readonly order: DeliveryOrder
  readonly onExhausted: OnExhausted
  readonly circuit: 'closed' | 'open'
  readonly headers: readonly string[]
  readonly previousSecretUntil: string | null
  readonly origin: DestinationOrigin
  readonly registration: string | null
  readonly owner: string | null
  readonly createdAt: string
}

export interface ShownBacklog {
  readonly waiting: number
  readonly blocked: number
  readonly oldestWaitingSince: string | null
}

export interface ShownSending {
  readonly attempts: number
  readonly successRate: number | null
  readonly latencyMs: { readonly p50: number | null; readonly p95: number | null; readonly p99: number | null }
  readonly sending: number
}

export type ListedDestination = ShownDestination & ShownBacklog & { readonly stats?: ShownSending }
export type DestinationStats = ShownBacklog &
  ShownSending &
  Pick<ShownWait, 'nextProbeAt'> & { readonly circuitOpenedAt: string | null }

export interface ShownDelivery extends ShownWait {
  readonly id: string
  readonly event: string
  readonly kind: string
  readonly subject: string | null
  readonly state: DeliveryState
  readonly attempts: number
  readonly endedAt: string | null
  readonly reason: string | null
  readonly lastStatus: number | null
  readonly lastError: string | null
}

/** Its state, and whether its circuit is open. */
export function stateOf({ state, circuit }: Pick<ShownDestination, 'state' | 'circuit'>, words: Catalogue): Html {
  const { states, circuitOpen } = words.destinations
  const tone = state === 'active' ? 'good' : state === 'paused' ? 'warn' : null
  return html`${badge(states[state], tone)}${circuit === 'open' && html` ${badge(circuitOpen, 'bad')}`}`
}

export function oldestOf({ oldestWaitingSince: since }: ShownBacklog): Html | null {
  return since === null ? null : html`<span class="number">${ageOf(since)}</span>`
}

export function successText({ attempts, successRate }: ShownSending, { destinations }: Catalogue): string | null {
  if (successRate === null) return null
  return destinations.successOf(`${Math.round(successRate * 1000) / 10} %`, attempts)
}

export function latencyText({ latencyMs: { p50, p99 } }: ShownSending): string | null {
  return p50 === null || p99 === null ? null : `${Math.round(p50)} / ${Math.round(p99)} ms`
}

/** `no scope`: the viewer may change none. `foreign`: only the destinations of its own. */
export type Right = 'change' | 'no scope' | 'foreign'

/** Whether the viewer may change this destination, as the API decides it. */
export function rightOf(viewer: Viewer, { owner }: Pick<ShownDestination, 'owner'>): Right {
  if (!viewer.can('destinations.write')) return 'no scope'
  return owner === viewer.id || viewer.can('operations.write') ? 'change' : 'foreign'
}
