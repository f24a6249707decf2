import type { Destination } from '../../domain/destination.ts'
import {
  type ChargeKey,
  type ChargeRoute,
  isHeldByAnother,
  type NewChargeRoute,
  type OpenedRoute,
} from '../../domain/service/charge-route.ts'
import { PortariaError } from '../../platform/errors.ts'
import { type RouteRow, routeOfRow } from '../rows/route-row.ts'
import { type Asked, get, run } from './asked.ts'
import { openRouteDestination } from './destinations.ts'
import type { Dialect } from './dialect.ts'
import { upsertInto } from './table-texts.ts'

export const OF_KEY = 'environment = :environment and resource = :resource and resource_id = :resourceId'

function keyOf({ environment, resource, resourceId }: ChargeKey) {
  return { environment, resource, resourceId }
}

export function* getChargeRoute(_: Dialect, key: ChargeKey): Asked<ChargeRoute | null> {
  const row = yield* get<RouteRow>(`select * from charge_routes where ${OF_KEY}`, keyOf(key))
  return row === undefined ? null : routeOfRow(row)
}

function* write(d: Dialect, route: ChargeRoute): Asked<void> {
  yield* run(upsertInto(d, 'charge_routes'), { rows: { rows: [route] } })
}

function* drop(key: ChargeKey): Asked<void> {
  yield* run(`delete from charge_routes where ${OF_KEY}`, keyOf(key))
}

/** null: another route leads to the destination. */
function* unrouted({ destinationId }: ChargeRoute): Asked<number | null> {
  const routed = yield* get('select 1 from charge_routes where destination_id = :destinationId limit 1', {
    destinationId,
  })
  return routed === undefined ? destinationId : null
}

/** @throws PortariaError `conflict` */
function* refuseRouteOfAnother(previous: ChargeRoute, owner: string | null, now: number): Asked<void> {
  if (!isHeldByAnother(previous, owner, now)) return
  const revoked = yield* get('select 1 from clients where id = :owner and revoked_at is not null', {
    owner: previous.owner,
  })
  if (revoked === undefined)
    throw new PortariaError(
      'conflict',
      `another app receives the notifications of this ${previous.resource}: it must end that first`,
    )
}

/** @param current active and paused destinations */
export function* openChargeRoute(
  d: Dialect,
  current: readonly Destination[],
  wanted: NewChargeRoute,
  now: number,
): Asked<OpenedRoute> {
  const { settings, owner } = wanted
  const previous = yield* getChargeRoute(d, wanted)
  if (previous !== null) yield* refuseRouteOfAnother(previous, owner, now)
  const { destination, isNew } = yield* openRouteDestination(d, current, settings, now, owner)
  const route: ChargeRoute = {
    ...keyOf(wanted),
    owner,
    url: settings.url,
    destinationId: destination.id,
    // The service keeps the gateway's address for the whole time.
    isConfirmed: previous !== null && previous.owner === owner && previous.isConfirmed,
    // Tells two changes in one millisecond apart.
    changedAt: Math.max(now, (previous?.changedAt ?? 0) + 1),
  }
  yield* write(d, route)
  return { route, previous, destination, isNewDestination: isNew }
}

export function* confirmChargeRoute(d: Dialect, key: ChargeKey, owner: string | null, now: number): Asked<void> {
  const route = yield* getChargeRoute(d, key)
  if (route?.owner === owner)
    yield* write(d, { ...route, isConfirmed: true, changedAt: Math.max(now, route.changedAt) })
}

/** @returns the destination to which no route leads any more; null: none */
export function* restoreChargeRoute(
  d: Dialect,
  current: readonly Destination[],
  opened: ChargeRoute,
  previous: ChargeRoute | null,
): Asked<number | null> {
  const known = yield* getChargeRoute(d, opened)
  if (known?.owner !== opened.owner || known.changedAt !== opened.changedAt) return null
  // A destination that was deleted meanwhile ends its routes.
  const isPresent = current.some(({ id }) => id === previous?.destinationId)
  if (previous !== null && isPresent) yield* write(d, previous)
  else yield* drop(opened)
  return yield* unrouted(opened)
}

/** @returns `unrouted` as of `restoreChargeRoute` */
export function* deleteChargeRoute(
  d: Dialect,
  key: ChargeKey,
  owner: string | null,
): Asked<{ isDeleted: boolean; unrouted: number | null }> {
  const route = yield* getChargeRoute(d, key)
  if (route === null || route.owner !== owner) return { isDeleted: false, unrouted: null }
  yield* drop(key)
  return { isDeleted: true, unrouted: yield* unrouted(route) }
}
