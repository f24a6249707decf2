import { KINDS_BY_NAME_ONLY } from '../../../domain/event.ts'
import { type EventHashes, hexOf } from '../../../domain/event-hash.ts'
import type { EventFilter, EventPage, EventWithBody, Evidence } from '../../../domain/event-record.ts'
import { parseEventId } from '../../../domain/public-id.ts'
import type { EventRow } from '../../rows/event-row.ts'
import { eventOfRow } from '../../rows/event-row.ts'
import { EVIDENCE_COLUMNS, type EvidenceRow, evidenceOfRow } from '../../rows/evidence-row.ts'
import { payloadOfRow } from '../../rows/payload-row.ts'
import type { PageRange, Positions } from '../../rules/event-page.ts'
import { PAGE_BYTES, rangeOf } from '../../rules/event-page.ts'
import { inEnvironment, ofInstitution } from '../../rules/realm-conditions.ts'
import { rangesOf } from '../blocks/event-blocks.ts'
import { CANDIDATES, CANDIDATES_AT_ONCE, candidatesOf } from '../blocks/subject-index.ts'
import type { Connection } from '../database/connection.ts'
import { lastGiven } from '../database/last-position.ts'
import { oncePerConnection, prepareOnce } from '../database/prepared.ts'
import { existsDelivery } from '../rows/delivery-rows.ts'
import { deliveryCondition, deliveryValues, eventsWithDelivery } from '../rows/events-with-delivery.ts'
import { findRetentionGap } from '../rows/removals.ts'
import { AUTHENTICATION, BODY, CONTENT_TYPE, createPayloads } from '../rows/rows.ts'

/** Searches by these fields use the summaries of blocks. A page visits at most SPAN events, so that no search delays other reads for long. */
const SEARCHED = ['kinds', 'environment', 'institution', 'status', 'receivedFrom', 'receivedTo', 'delivery'] as const
const SPAN = 65_536
/** The cost of visiting a separate range, in events of a sequential scan. */
const LOOK = 64

/** Of an event `e` with its callback `c` and its own body `b`, which only a resolved event has. */
const EVENT_COLUMNS = `
  e.id as position, e.nonce, e.kind, e.environment, c.listener, ${AUTHENTICATION} as authentication, b.source, e.subject, e.status, c.mark, e.received_at, e.part, e.parts,
  e.array_start, e.array_end, e.item_start, e.item_end, e.duplicates, e.last_seen_at, e.payload_removed_at, e.callback_id,
  ${CONTENT_TYPE} as content_type, ${BODY} as body`

export function listEvents(db: Connection, filter: EventFilter, limit: number): EventPage {
  return db.transaction(() => {
    const newest = lastGiven(db)
    const range = rangeOf(filter, newest, oldestPosition(db))
    const removed = findRetentionGap(db, filter)
    const { where, values } = conditionsOf(filter)
    // `+ 0` and `+:value`: see `prepareOnce`.
    const known =
      filter.positions?.toSorted((one, other) => one - other) ??
      (filter.subject === undefined ? eventsWithDelivery(db, filter.delivery) : null)
    const isAmongCandidates = filter.subject !== undefined || known !== null
    const select = prepareOnce<Record<string, unknown>, EventRow>(
      db,
      `select ${EVENT_COLUMNS} from ${isAmongCandidates ? CANDIDATES : 'events e not indexed'} join callbacks c on c.id = e.callback_id
        left join event_bodies b on b.event_id = e.id
      where ${where} order by e.id ${filter.newestFirst === true ? 'desc' : 'asc'} limit :limit + 0`,
    )
    const payloadOf = createPayloads(db)
    const { mostBytes = PAGE_BYTES } = filter
    const events: EventWithBody[] = []
    let bytes = 0
    let end = range.end
    for (const piece of known === null ? piecesOf(db, filter, range) : knownPieces(known, filter, range)) {
      for (const row of select.iterate({
        ...values,
        from: piece.from,
        to: piece.to,
        candidates: piece.candidates,
        limit: limit + 1 - events.length,
      })) {
        const event = eventOfRow(row, payloadOf(row))
        bytes += event.body.length
        if (events.length === limit || (events.length > 0 && bytes > mostBytes))
          return { events, next: events.at(-1)?.position ?? 0, more: true, removed }
        events.push(event)
      }
      end = piece.end
    }
    return { events, ...end, removed }
  })()
}

/** The ranges that one page visits, in its order: all of it, or for a search, the parts that may match, up to SPAN events. */
function* piecesOf(db: Connection, filter: EventFilter, range: PageRange): Generator<Visited> {
  if (filter.subject !== undefined) return yield* candidatePieces(db, filter, range)
  if (SEARCHED.every((name) => filter[name] === undefined)) return yield range
  let left = SPAN
  for (const { from, to } of rangesOf(db, filter, range)) {
    const piece =
      filter.newestFirst === true
        ? { from: Math.max(from, to - left + 1), to }
        : { from, to: Math.min(to, from + left - 1) }
    left -= Math.max(LOOK, piece.to - piece.from + 1)
    if (left > 0) yield { ...piece, end: range.end }
    else return yield { ...piece, end: { next: filter.newestFirst === true ? piece.from : piece.to, more: true } }
  }
}

/** The positions of events that have such a delivery. */
function* knownPieces(
  known: readonly number[],
  { newestFirst = false }: EventFilter,
  range: PageRange,
): Generator<Visited> {
  const { from, to, end } = range
  const inRange = known.filter((position) => position >= from && position <= to)
  const ordered = newestFirst ? inRange.reverse() : inRange
  for (let at = 0; at < ordered.length; at += CANDIDATES_AT_ONCE)
    yield { from, to, end, candidates: JSON.stringify(ordered.slice(at, at + CANDIDATES_AT_ONCE)) }
}

/** The positions that may be of the subject, up to SPAN of them. */
function* candidatePieces(db: Connection, filter: EventFilter, { from, to, end }: PageRange): Generator<Visited> {
  const { subject = '', newestFirst = false } = filter
  let left = SPAN
  for (const positions of candidatesOf(db, { subject, from, to, newestFirst })) {
    left -= positions.length
    const piece = { from, to, candidates: JSON.stringify(positions) }
    if (left > 0) yield { ...piece, end }
    else return yield { ...piece, end: { next: positions.at(-1) ?? 0, more: true } }
  }
}

/** A range to visit. */
interface Visited extends PageRange {
  /** JSON list of the positions in it to visit; left out: all. */
  readonly candidates?: string
}

/** The positions that a filter names, and that are assigned. */
export function positionsOf(db: Connection, filter: EventFilter): Positions {
  return rangeOf(filter, lastGiven(db), oldestPosition(db))
}

function oldestPosition(db: Connection): number {
  return oldestOf(db).get() ?? lastGiven(db) + 1
}

const oldestOf = oncePerConnection((db) => db.prepare<[], number | null>('select min(id) from events').pluck())

export function getEvent(
  db: Connection,
  id: string,
): { event: EventWithBody; evidence: Evidence; hashes: EventHashes } | null {
  const parsed = parseEventId(id)
  if (parsed === null) return null
  const row = db
    .prepare<[number, string], EventRow & EvidenceRow & { payload_hash: Buffer; hash: Buffer }>(`
      select ${EVENT_COLUMNS}, ${EVIDENCE_COLUMNS}, e.payload_hash, e.hash
      from events e join callbacks c on c.id = e.callback_id left join peers p on p.id = c.peer_id left join event_bodies b on b.event_id = e.id
      where e.id = ? and e.nonce = ?`)
    .get(parsed.position, parsed.nonce)
  if (row === undefined) return null
  const hashes = { payload: hexOf(row.payload_hash), event: hexOf(row.hash) }
  const event = eventOfRow(
    row,
    payloadOfRow(row, () => row.callback_body),
  )
  return { event, evidence: evidenceOfRow(row), hashes }
}

/** In no order. */
export function eventsAt(db: Connection, positions: readonly number[]): EventWithBody[] {
  const payloadOf = createPayloads(db)
  return prepareOnce<{ candidates: string }, EventRow>(
    db,
    `select ${EVENT_COLUMNS} from ${CANDIDATES} join callbacks c on c.id = e.callback_id left join event_bodies b on b.event_id = e.id`,
  )
    .all({ candidates: JSON.stringify(positions) })
    .map((row) => eventOfRow(row, payloadOf(row)))
}

/** The statement of events in the order of their positions. Its values: `from`, `to`, `limit`, and those of the conditions. */
export function prepareEvents(db: Connection, where: string) {
  return prepareOnce<Record<string, unknown>, EventRow>(
    db,
    `select ${EVENT_COLUMNS} from events e not indexed join callbacks c on c.id = e.callback_id left join event_bodies b on b.event_id = e.id
    where ${where} order by e.id limit :limit + 0`,
  )
}

/** @param filter.nonces the random part of an event's id begins with each of them */
export function conditionsOf(filter: EventFilter & { readonly nonces?: readonly string[] }): {
  where: string
  values: Record<string, unknown>
} {
  const conditions = ['e.id between :from and :to']
  const values: Record<string, unknown> = {}
  if (filter.kinds === undefined) {
    conditions.push(`e.kind not in (${KINDS_BY_NAME_ONLY.map((kind) => `'${kind}'`).join(', ')})`)
  } else {
    conditions.push('e.kind in (select value from json_each(:kinds))')
    values.kinds = JSON.stringify(filter.kinds)
  }
  if (filter.subject !== undefined) {
    conditions.push('e.subject = +:subject')
    values.subject = filter.subject
  }
  if (filter.delivery !== undefined) {
    conditions.push(existsDelivery(deliveryCondition(filter.delivery)))
    Object.assign(values, deliveryValues(filter.delivery))
  }
  filter.nonces?.forEach((nonce, at) => {
    conditions.push(`substr(e.nonce, 1, ${nonce.length}) = :nonce${at}`)
    values[`nonce${at}`] = nonce
  })
  for (const [name, condition] of SIMPLE_CONDITIONS) {
    if (filter[name] === undefined) continue
    conditions.push(condition)
    values[name] = filter[name]
  }
  return { where: conditions.join(' and '), values }
}

const SIMPLE_CONDITIONS = [
  ['environment', inEnvironment('e.environment')],
  ['institution', ofInstitution('e.environment')],
  ['status', 'e.status = +:status'],
  ['receivedFrom', 'e.received_at >= :receivedFrom'],
  ['receivedTo', 'e.received_at < :receivedTo'],
] as const
