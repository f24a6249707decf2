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
  type ReplayFilter,
  type ReplaySearch,
} from '../../../domain/replay.ts'
import { listDestinations } from '../../sql/destinations.ts'
import { CANDIDATES, candidatesOf } from '../blocks/subject-index.ts'
import { ask } from '../database/ask.ts'
import type { Connection } from '../database/connection.ts'
import { deliveriesOf } from '../rows/delivery-rows.ts'
import { AUTHENTICATION } from '../rows/rows.ts'

/** The most events visited per call: other reads wait meanwhile. */
const EVENTS_AT_ONCE = 5000

/** At most `limit` events that a replay has to requeue. */
export function findReplayable(db: Connection, search: ReplaySearch, limit: number): Replayable {
  const { destinationId, filter, after, upTo } = search
  const destination = ask(db, listDestinations).find(({ id }) => id === destinationId)
  if (destination === undefined) return { positions: [], leftOut: 0, next: upTo }
  const fatesOf = priorDeliveryReader(db, destination)
  const isAllowed = routeCheck(db, destination, fatesOf)
  const events = eventsOf(db, filter, { after, upTo })
  const positions: number[] = []
  let leftOut = 0
  for (const event of events) {
    if (!isReplayMatch(filter, destination, event)) continue
    const fates = fatesOf(event.position)
    const isUnderWay = isLeftOut(search, fates)
    if ((!isUnderWay && !isReplayed(search, fates)) || !isAllowed(event.position)) continue
    if (isUnderWay) leftOut++
    else positions.push(event.position)
    if (positions.length === limit) return { positions, leftOut, next: event.position }
  }
  return { positions, leftOut, next: events.length < EVENTS_AT_ONCE ? upTo : (events.at(-1)?.position ?? upTo) }
}

/**
 * Deliveries of an event to a destination and to its removed predecessors, which have the same owner and URL: an event that they received has arrived.
 */
export function priorDeliveryReader(
  db: Connection,
  { id, url, owner }: Destination,
): (position: number) => PriorDelivery[] {
  const removed = db
    .prepare<[string | null], { id: number; url: string }>(
      `select id, url from destinations where state in ('deleted', 'retired') and owner is ?`,
    )
    .all(owner)
  const places = [id, ...removed.filter((one) => isSameUrl(one.url, url)).map((one) => one.id)]
  const priorDeliveries = db.prepare<{ position: number }, PriorDelivery>(`
    select destination_id as destinationId, state, delivered_at as deliveredAt from ${deliveriesOf('(select :position as value)')}`)
  return (position) => priorDeliveries.all({ position }).filter(({ destinationId }) => places.includes(destinationId))
}

/**
 * Whether charge routes let the destination have an event. One of origin `route` gets only what a route led to it. A client's destination does not get
 * what a route led to another owner.
 */
function routeCheck(
  db: Connection,
  { origin, owner }: Destination,
  fatesOf: (position: number) => PriorDelivery[],
): (position: number) => boolean {
  if (origin === 'route') return (position) => fatesOf(position).length > 0
  if (owner === null) return () => true
  const others = db
    .prepare<[string], number>(`select id from destinations where origin = 'route' and owner is not ?`)
    .pluck()
    .all(owner)
  if (others.length === 0) return () => true
  const routed = db.prepare<{ position: number; others: string }, unknown>(`
    select 1 from ${deliveriesOf('(select :position as value)')} where destination_id in (select value from json_each(:others)) limit 1`)
  return (position) => routed.get({ position, others: JSON.stringify(others) }) === undefined
}

type PlacedEvent = PublishedEvent & FilteredEvent & { readonly position: number }

function eventsOf(
  db: Connection,
  filter: ReplayFilter,
  range: { readonly after: number; readonly upTo: number },
): PlacedEvent[] {
  const columns = `e.id as position, e.kind, e.environment, e.subject, e.status, e.received_at as receivedAt, ${AUTHENTICATION} as authentication`
  // Without its data an event cannot be delivered.
  const rest = `cross join callbacks c on c.id = e.callback_id left join event_bodies b on b.event_id = e.id
    where e.id > :after and e.id <= :upTo and e.payload_removed_at is null order by e.id limit ${EVENTS_AT_ONCE}`
  const { subject } = filter
  const named = positionsOfReplay(filter)
  if (named !== null) {
    const candidates = JSON.stringify(named)
    return db.prepare<object, PlacedEvent>(`select ${columns} from ${CANDIDATES} ${rest}`).all({ ...range, candidates })
  }
  if (subject === undefined)
    return db.prepare<object, PlacedEvent>(`select ${columns} from events e ${rest}`).all(range)
  const { after, upTo } = range
  const select = db.prepare<object, PlacedEvent>(`select ${columns} from ${CANDIDATES} ${rest}`)
  return db.transaction(() => {
    const events: PlacedEvent[] = []
    for (const positions of candidatesOf(db, { subject, from: after + 1, to: upTo })) {
      events.push(...select.all({ ...range, candidates: JSON.stringify(positions) }))
      if (events.length >= EVENTS_AT_ONCE) break
    }
    return events.slice(0, EVENTS_AT_ONCE)
  })()
}
