import type { deliverySchema } from '../../api/deliveries/schema.ts'
import type { destinationPageSchema, destinationSchema, destinationStatsSchema } from '../../api/destinations/schema.ts'
import type { View } from '../../api/http/schema-parts.ts'
import { inContext, type Said, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import type { Viewer } from '../frame/page.ts'
import { ageOf } from '../parts/age.ts'
import { badge } from '../parts/badge.ts'
import { decimalText } from '../parts/decimal.ts'
import { type Html, html } from '../parts/html.ts'
import { idOf } from '../parts/id.ts'
import { shortened } from '../parts/shortened-text.ts'

const STATES: Readonly<Record<DestinationView['state'], Said>> = {
  active: say`active`,
  paused: say`paused`,
  retired: say`removed from the configuration`,
  deleted: say`deleted`,
}

export const AUTHENTICATIONS: Readonly<Record<DestinationView['authentication'], Said>> = {
  any: inContext('authentication', say`any`),
  'mutual-tls': say`no callbacks with a path token`,
}

export const FORMATS: Readonly<Record<DestinationView['format'], Said>> = {
  original: say`as received`,
  event: say`in an envelope`,
}

export const ORDERS: Readonly<Record<DestinationView['order'], Said>> = {
  none: inContext('order', say`none`),
  subject: say`by reference`,
}

export const LIST = '/ui/destinations'

export type DestinationView = View<typeof destinationSchema>
export type ListedDestination = View<typeof destinationPageSchema>['data'][number]
export type DestinationStats = View<typeof destinationStatsSchema>
export type DeliveryView = View<typeof deliverySchema>

const MOST_OF_URL = 200

/** Its URL in a table. */
export function urlOf({ url }: Pick<ListedDestination, 'url'>): Html {
  return idOf(shortened(url, MOST_OF_URL))
}

/** Its state, and whether its circuit is open. */
export function stateOf({ state, circuit }: Pick<DestinationView, 'state' | 'circuit'>, t: Speaker): Html {
  const tone = state === 'active' ? 'good' : state === 'paused' ? 'warn' : null
  return html`${badge(t.of(STATES[state]), tone)}${circuit === 'open' && html` ${badge(t`accepts nothing`, 'bad')}`}`
}

export function oldestOf({ oldestWaitingSince: since }: Pick<DestinationStats, 'oldestWaitingSince'>): Html | null {
  return since === null ? null : html`<span class="number">${ageOf(since)}</span>`
}

export function successText(
  { attempts, successRate }: Pick<DestinationStats, 'attempts' | 'successRate'>,
  t: Speaker,
): string | null {
  if (successRate === null) return null
  return t`${{ percent: decimalText(Math.round(successRate * 1000) / 10, t) }} % of ${{ attempts }}`
}

export function latencyText({ latencyMs: { p50, p99 } }: Pick<DestinationStats, 'latencyMs'>): string | null {
  return p50 === null || p99 === null ? null : `${Math.round(p50)} / ${Math.round(p99)} ms`
}

/** `no scope`: the viewer may change none. `foreign`: only the destinations of its own. */
export type Right = 'change' | 'no scope' | 'foreign'

/** Whether the viewer may change this destination, as the API decides it. */
export function rightOf(viewer: Viewer, { owner }: Pick<DestinationView, 'owner'>): Right {
  if (!viewer.can('destinations.write')) return 'no scope'
  return owner === viewer.id || viewer.can('operations.write') ? 'change' : 'foreign'
}
