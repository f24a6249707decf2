import type { Destination, FilteredEvent } from '../../../domain/destination.ts'
import type { PublishedEvent } from '../../../domain/event-bus.ts'
import { isSameUrl } from '../../../domain/registration.ts'
import {
  isLeftOut,
  isReplayed,
  isReplayMatch,
  type PriorDelivery,
  positionsOfReplay,
  type Replayable,
  type ReplaySearch,
} from '../../../domain/replay.ts'
import { listDestinations } from '../../sql/destinations.ts'
import { ask } from '../database/ask.ts'
import type { Sql } from '../database/sql.ts'
import { AUTHENTICATION } from '../events/event-columns.ts'

/** The most events visited per call. */
const EVENTS_AT_ONCE = 5000

type PlacedEvent = PublishedEvent & FilteredEvent & { readonly position: number }

/** At most `limit` events that a replay has to requeue. */
export async function findReplayable(sql: Sql, search: ReplaySearch, limit: number): Promise<Replayable> {
  const { destinationId, filter, after, upTo } = search
  const destination = (await ask(sql, listDestinations)).find(({ id }) => id === destinationId)
  if (destination === undefined) return { positions: [], leftOut: 0, next: upTo }
  // Without its data an event cannot be delivered.
  const events = await sql.all<PlacedEvent>(
    `select e.id as position, e.kind, e.environment, e.subject, e.status, e.received_at as "receivedAt", ${AUTHENTICATION} as authentication
    from events e join callbacks c on c.callback_id = e.callback_id
    where e.id > :after and e.id <= :upTo and e.payload_removed_at is null and (:subject::text is null or e.subject = :subject)
      and (:positions::bigint[] is null or e.id = any(:positions))
    order by e.id limit ${EVENTS_AT_ONCE}`,
    { after, upTo, subject: filter.subject ?? null, positions: positionsOfReplay(filter) },
  )
  const wanted = events.filter((event) => isReplayMatch(filter, destination, event)).map(({ position }) => position)
  const fates = await readPriorDeliveries(sql, destination, wanted)
  const routed = await readRoutedElsewhere(sql, destination, wanted)
  const isAllowed = (position: number) =>
    destination.origin === 'route' ? (fates.get(position) ?? []).length > 0 : !routed.has(position)
  const positions: number[] = []
  let leftOut = 0
  for (const position of wanted.filter(isAllowed)) {
    if (isLeftOut(search, fates.get(position) ?? [])) leftOut++
    if (!isReplayed(search, fates.get(position) ?? [])) continue
    positions.push(position)
    if (positions.length === limit) return { positions, leftOut, next: position }
  }
  return { positions, leftOut, next: events.length < EVENTS_AT_ONCE ? upTo : (events.at(-1)?.position ?? upTo) }
}

/**
 * Deliveries of events to a destination and to its removed predecessors, which have the same owner and URL: an event that they received has arrived.
 */
export async function readPriorDeliveries(
  sql: Sql,
  { id, url, owner }: Destination,
  positions: readonly number[],
): Promise<Map<number, PriorDelivery[]>> {
  const removed = await sql.all<{ id: number; url: string }>(
    `select id, url from destinations where state in ('deleted', 'retired') and owner is not distinct from :owner`,
    { owner },
  )
  const places = [id, ...removed.filter((one) => isSameUrl(one.url, url)).map((one) => one.id)]
  const rows = await sql.all<PriorDelivery & { position: number }>(
    `select event_id as position, destination_id as "destinationId", state, delivered_at as "deliveredAt" from deliveries
    where event_id = any(:positions::bigint[]) and destination_id = any(:places::bigint[])`,
    { positions, places },
  )
  return Map.groupBy(rows, ({ position }) => position)
}

/** Events that a charge route led to another owner: a client's destination does not get them. */
async function readRoutedElsewhere(
  sql: Sql,
  { origin, owner }: Destination,
  positions: readonly number[],
): Promise<Set<number>> {
  if (origin === 'route' || owner === null) return new Set()
  const rows = await sql.all<{ position: number }>(
    `select distinct d.event_id as position from deliveries d join destinations t on t.id = d.destination_id
    where d.event_id = any(:positions::bigint[]) and t.origin = 'route' and t.owner is distinct from :owner`,
    { positions, owner },
  )
  return new Set(rows.map(({ position }) => position))
}
