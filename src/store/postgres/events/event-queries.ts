import { KINDS_BY_NAME_ONLY } from '../../../domain/event.ts'
import {
  digestOf,
  type EventHashes,
  type EventProof,
  hashBehind,
  hexOf,
  payloadHashOf,
} from '../../../domain/event-hash.ts'
import type {
  DeliveryCondition,
  EventFilter,
  EventPage,
  EventTraits,
  EventWithBody,
  Evidence,
} from '../../../domain/event-record.ts'
import { parseEventId } from '../../../domain/public-id.ts'
import { type EventRow, eventOfRow } from '../../rows/event-row.ts'
import { EVIDENCE_COLUMNS, type EvidenceRow, evidenceOfRow } from '../../rows/evidence-row.ts'
import { payloadOfRow } from '../../rows/payload-row.ts'
import { conditionsFor } from '../../rules/conditions.ts'
import { PAGE_BYTES, type Positions, rangeOf } from '../../rules/event-page.ts'
import { gapIn } from '../../rules/gaps.ts'
import { inEnvironment, ofInstitution } from '../../rules/realm-conditions.ts'
import { IN_ORDER } from '../database/by-index.ts'
import { readHead } from '../database/head.ts'
import type { Sql, Values } from '../database/sql.ts'
import { hashedRows, readPrevious } from './chain.ts'
import { blocksWith, IN_BLOCK } from './event-blocks.ts'
import { AUTHENTICATION, CONTENT_TYPE } from './event-columns.ts'
import { deliveryValues, eventsWithDelivery, existsDelivery } from './events-with-delivery.ts'
import { readRemovals } from './gaps.ts'
import { BODY, createPayloads, type Payloads } from './payloads.ts'

const EVENT_COLUMNS = `
  e.id as position, e.nonce, e.kind, e.environment, c.listener, ${AUTHENTICATION} as authentication, e.source, e.subject, e.status, c.mark, e.received_at,
  e.part, e.parts, e.array_start, e.array_end, e.item_start, e.item_end, e.duplicates, e.last_seen_at, e.payload_removed_at, e.callback_id,
  ${CONTENT_TYPE} as content_type, ${BODY} as body`

const CONDITIONS = [
  ['kinds', 'e.kind = any(:kinds::text[])'],
  ['environment', inEnvironment('e.environment')],
  ['institution', ofInstitution('e.environment')],
  ['subject', 'e.subject = :subject'],
  ['status', 'e.status = :status'],
  ['positions', 'e.id = any(:positions::bigint[])'],
  ['receivedFrom', 'e.received_at >= at_ms(:receivedFrom)'],
  ['receivedTo', 'e.received_at < at_ms(:receivedTo)'],
] as const

/** Of the blocks that may hold such events. */
const CONDITIONS_OF_BLOCKS = [
  ['kinds', 'kind = any(:kinds::text[])'],
  ['receivedFrom', 'latest >= at_ms(:receivedFrom)'],
  ['receivedTo', 'earliest < at_ms(:receivedTo)'],
] as const

/** Bodies that are in memory at once: those of so many events. */
const AT_ONCE = 50

/** Events of a range in the order of the page. A number: so far it has looked, and the page ends. */
type FindEvents = (range: Positions, source: EventSource) => AsyncIterable<EventWithBody | number>

/** What the events of one page are read from. */
export interface EventSource {
  readonly sql: Sql
  readonly payloadsOf: Payloads
}

/** Events that one look at a filter by deliveries visits. */
const VISITED_AT_ONCE = 4096
/** A page by deliveries is short when it has taken this long. */
const SLICE_MS = 50

/** @param find default: all that the filter selects */
export async function listEvents(
  sql: Sql,
  filter: EventFilter,
  limit: number,
  find: FindEvents = (range, source) =>
    filter.delivery === undefined
      ? findEvents(source, filter, range, limit + 1)
      : eventsByDelivery(source, { ...filter, delivery: filter.delivery }, range, limit + 1),
): Promise<EventPage> {
  const { position: newest } = await readHead(sql)
  const oldest = await sql.get<{ id: number | null }>('select min(id) as id from events')
  const range = rangeOf(filter, newest, oldest?.id ?? newest + 1)
  const removed = gapIn(await readRemovals(sql), filter)
  const { mostBytes = PAGE_BYTES } = filter
  const events: EventWithBody[] = []
  let bytes = 0
  for await (const event of find(range, { sql, payloadsOf: createPayloads(sql) })) {
    if (typeof event === 'number') return { events, next: event, more: true, removed }
    bytes += event.body.length
    if (events.length === limit || (events.length > 0 && bytes > mostBytes))
      return { events, next: events.at(-1)?.position ?? 0, more: true, removed }
    events.push(event)
  }
  return { events, ...range.end, removed }
}

/** By the deliveries in these states, where they are few, and else event by event for a bounded time. A number: as for `FindEvents`. */
async function* eventsByDelivery(
  source: EventSource,
  filter: EventFilter & { readonly delivery: DeliveryCondition },
  range: Positions,
  limit: number,
): AsyncGenerator<EventWithBody | number> {
  const { sql } = source
  // Without statistics PostgreSQL would read all deliveries in place of an index of few.
  await sql.run('set local enable_seqscan = off')
  const positions = await eventsWithDelivery(sql, filter.delivery)
  if (positions !== null) {
    const selection = { where: ['e.id = any(:positions::bigint[])'], values: { positions } }
    yield* findEvents(source, filter, range, limit, selection)
    return
  }
  const until = performance.now() + SLICE_MS
  const { newestFirst = false } = filter
  for (let { from, to } = range; from <= to; ) {
    const part = newestFirst
      ? { from: Math.max(from, to - VISITED_AT_ONCE + 1), to }
      : { from, to: Math.min(to, from + VISITED_AT_ONCE - 1) }
    yield* findEvents(source, filter, part, limit)
    if (newestFirst) to = part.from - 1
    else from = part.to + 1
    if (from <= to && performance.now() > until) return yield newestFirst ? part.from : part.to
  }
}

/** Conditions beside those of a filter. */
export interface Selection {
  readonly where: readonly string[]
  readonly values: Values
}

export async function* findEvents(
  { sql, payloadsOf }: EventSource,
  filter: EventFilter,
  range: Positions,
  limit: number,
  selection: Selection = { where: [], values: {} },
): AsyncGenerator<EventWithBody> {
  const { newestFirst = false, kinds } = filter
  const order = newestFirst ? 'desc' : 'asc'
  const { conditions, values } = conditionsFor(filter, CONDITIONS)
  // Others are few, and have an index.
  const isAmongAll = filter.subject === undefined && filter.positions === undefined && selection.where.length === 0
  const ofBlocks = isAmongAll ? conditionsFor(filter, CONDITIONS_OF_BLOCKS).conditions : []
  const { delivery } = filter
  const unnamed = `e.kind not in (${KINDS_BY_NAME_ONLY.map((kind) => `'${kind}'`).join(', ')})`
  const where = [
    'e.id between :from and :to',
    ...(kinds === undefined ? [unnamed] : []),
    ...conditions,
    ...(delivery === undefined ? [] : [existsDelivery(delivery)]),
    ...selection.where,
    ...(ofBlocks.length > 0 ? [`e.${IN_BLOCK}`] : []),
  ]
  const found = `select e.* from events e where ${where.join(' and ')} order by e.id ${order} limit :limit`
  const inBlocks = `select f.* from ${blocksWith(ofBlocks, order)} cross join lateral (${found}) f order by b.block ${order}, f.id ${order} limit :limit`
  const text = `select ${EVENT_COLUMNS} from (${ofBlocks.length === 0 ? found : inBlocks}) e
    join callbacks c on c.callback_id = e.callback_id order by e.id ${order}`
  if (ofBlocks.length > 0) await sql.run(IN_ORDER)
  let { from, to } = range
  for (let left = limit; left > 0; ) {
    const rows = await sql.all<EventRow>(text, {
      ...(values as Values),
      ...deliveryValues(delivery),
      ...selection.values,
      from,
      to,
      limit: Math.min(left, AT_ONCE),
    })
    const payloadOf = await payloadsOf(rows)
    for (const row of rows) yield eventOfRow(row, payloadOf(row))
    const last = rows.at(-1)?.position
    if (last === undefined || rows.length < Math.min(left, AT_ONCE)) return
    left -= rows.length
    if (newestFirst) to = last - 1
    else from = last + 1
  }
}

type Found = { event: EventWithBody; evidence: Evidence; hashes: EventHashes }

export async function getEvent(sql: Sql, id: string): Promise<Found | null> {
  const parsed = parseEventId(id)
  if (parsed === null) return null
  const row = await sql.get<EventRow & EvidenceRow & { payload_hash: Buffer; hash: Buffer }>(
    `select ${EVENT_COLUMNS}, ${EVIDENCE_COLUMNS}, e.payload_hash, e.hash
    from events e join callbacks c on c.callback_id = e.callback_id left join peers p on p.id = c.peer_id where e.id = :position and e.nonce = :nonce`,
    { position: parsed.position, nonce: parsed.nonce },
  )
  if (row === undefined) return null
  const hashes = { payload: hexOf(row.payload_hash), event: hexOf(row.hash) }
  const event = eventOfRow(
    row,
    payloadOfRow(row, () => row.callback_body),
  )
  return { event, evidence: evidenceOfRow(row), hashes }
}

export async function getProof(sql: Sql, id: string): Promise<EventProof | null> {
  const found = await getEvent(sql, id)
  if (found === null) return null
  const { event, hashes } = found
  const [row] = await hashedRows(sql, [event.position])
  if (row === undefined) return null
  const { values } = row
  const digest = digestOf(values)
  const previous = await readPrevious(sql, event.position)
  const isPayloadSound = event.payloadRemovedAt !== null || payloadHashOf(event.body) === hashes.payload
  const isSound = isPayloadSound && hexOf(hashBehind(previous.hash, digest)) === hashes.event
  return {
    values,
    hashes,
    digest: hexOf(digest),
    previous: { position: previous.position, hash: hexOf(previous.hash) },
    isSound,
  }
}

export async function latestPosition(sql: Sql): Promise<number> {
  return (await readHead(sql)).position
}

/** Of the newest events. */
const TRAITS_LOOKED_AT = 100_000

export function listEventTraits(sql: Sql, after: number, limit: number): Promise<EventTraits[]> {
  return sql.all<EventTraits>(
    `select distinct kind, environment, status from (
      select kind, environment, status from events where id > :after order by id desc limit ${TRAITS_LOOKED_AT}) newest limit :limit`,
    { after, limit },
  )
}

/** The position directly before the first event received at `time` or later. */
export async function positionAt(sql: Sql, time: number): Promise<number> {
  const first = await sql.get<{ id: number }>(
    `select e.id from ${blocksWith(['latest >= at_ms(:time)'])} cross join lateral (
      select id from events where ${IN_BLOCK} and received_at >= at_ms(:time) order by id limit 1) e
    order by b.block limit 1`,
    { time, from: 0, to: Number.MAX_SAFE_INTEGER },
  )
  return first === undefined ? (await readHead(sql)).position : first.id - 1
}
