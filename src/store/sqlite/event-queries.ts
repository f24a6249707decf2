import type { Authentication, Environment, ListenerName, Mark } from '../../domain/event.ts'
import { bytesOfFact, KINDS_BY_NAME_ONLY } from '../../domain/event.ts'
import { eventId, parseEventId } from '../../domain/public-id.ts'
import type { EventFilter, EventPage, EventWithBody, Evidence } from '../../domain/store.ts'
import type { Connection } from './connection.ts'
import { callbackIdOf, EVIDENCE_COLUMNS, type EvidenceRow, evidenceOfRow } from './evidence.ts'
import { type SpanRow, spanOfRow } from './rows.ts'
import { subjectHash } from './subject-hash.ts'

/** A page ends at this many bytes of bodies, though never before its first event. */
const PAGE_BYTES = 4 * 1024 * 1024

/** No index leads to what is asked for by these: one page looks at so many events at most, so that no search keeps others waiting for long. */
const SCANNED = ['environment', 'status', 'receivedFrom', 'receivedTo', 'deliveryState'] as const
const SPAN = 65_536

interface EventRow extends SpanRow {
  position: number
  nonce: string
  kind: string
  environment: Environment
  listener: ListenerName | null
  authentication: Authentication | 'none'
  subject: string | null
  status: string | null
  mark: Mark | null
  received_at: number
  part: number
  parts: number
  duplicates: number
  last_seen_at: number | null
  callback_id: number
  content_type: string | null
  body: Buffer
}

const EVENT_COLUMNS = `
  e.id as position, e.nonce, e.kind, e.environment, c.listener, c.authentication, e.subject, e.status, c.mark, e.received_at, e.part, e.parts,
  e.array_start, e.array_end, e.item_start, e.item_end, e.duplicates, e.last_seen_at, e.callback_id, c.content_type, c.body`

export function listEvents(db: Connection, filter: EventFilter, limit: number): EventPage {
  return db.transaction(() => {
    const newest = latestPosition(db)
    const range = rangeOf(filter, newest)
    const { where, values } = conditionsOf(filter)
    const rows = db
      .prepare<Record<string, unknown>, EventRow>(`
        ${filter.subject === undefined ? '' : SUBJECT_BLOCKS}
        select ${EVENT_COLUMNS} from ${filter.subject === undefined ? 'events e' : EVENTS_OF_BLOCKS} join callbacks c on c.id = e.callback_id
        where ${where} order by e.id ${filter.newestFirst === true ? 'desc' : 'asc'} limit :limit`)
      .iterate({ ...values, from: range.from, to: range.to, limit: limit + 1 })
    const events: EventWithBody[] = []
    let bytes = 0
    for (const row of rows) {
      const event = eventOfRow(row)
      bytes += event.body.length
      if (events.length === limit || (events.length > 0 && bytes > PAGE_BYTES))
        return { events, next: events.at(-1)?.position ?? 0, more: true }
      events.push(event)
    }
    return { events, ...range.end }
  })()
}

interface Range {
  /** The positions that are looked at, both inclusive. */
  readonly from: number
  readonly to: number
  /** Where a page ends that finds no more in them. */
  readonly end: Pick<EventPage, 'next' | 'more'>
}

function rangeOf(filter: EventFilter, newest: number): Range {
  const { after = 0, newestFirst = false } = filter
  const from = after + 1
  const to = Math.min(filter.before ?? Number.POSITIVE_INFINITY, newest + 1) - 1
  const span = SCANNED.some((name) => filter[name] !== undefined) && filter.subject === undefined ? SPAN : to
  if (newestFirst) {
    const low = Math.max(from, to - span + 1)
    return { from: low, to, end: low > from ? { next: low, more: true } : { next: 0, more: false } }
  }
  const high = Math.min(to, after + span)
  // Nothing up to `newest` is left for this filter, so the next page may skip all that it passed over.
  const last = { next: Math.max(after, newest), more: false }
  return { from, to: high, end: high < to ? { next: high, more: true } : last }
}

export function latestPosition(db: Connection): number {
  return db.prepare<[], { id: number | null }>('select max(id) as id from events').get()?.id ?? 0
}

export function getEvent(db: Connection, id: string): { event: EventWithBody; evidence: Evidence } | null {
  const parsed = parseEventId(id)
  if (parsed === null) return null
  const row = db
    .prepare<[number, string], EventRow & EvidenceRow>(`
      select ${EVENT_COLUMNS}, ${EVIDENCE_COLUMNS}
      from events e join callbacks c on c.id = e.callback_id left join peers p on p.id = c.peer_id
      where e.id = ? and e.nonce = ?`)
    .get(parsed.position, parsed.nonce)
  return row === undefined ? null : { event: eventOfRow(row), evidence: evidenceOfRow(row) }
}

function conditionsOf(filter: EventFilter): { where: string; values: Record<string, unknown> } {
  const conditions = ['e.id between :from and :to']
  const values: Record<string, unknown> = {}
  if (filter.kinds === undefined) {
    conditions.push(`e.kind not in (${KINDS_BY_NAME_ONLY.map((kind) => `'${kind}'`).join(', ')})`)
  } else {
    conditions.push('e.kind in (select value from json_each(:kinds))')
    values.kinds = JSON.stringify(filter.kinds)
  }
  if (filter.subject !== undefined) {
    conditions.push('e.subject = :subject')
    values.subject = filter.subject
    values.subjectHash = subjectHash(filter.subject)
  }
  if (filter.deliveryState !== undefined) {
    conditions.push('exists (select 1 from deliveries d where d.event_id = e.id and d.state = :deliveryState)')
    values.deliveryState = filter.deliveryState
  }
  for (const [name, condition] of SIMPLE_CONDITIONS) {
    if (filter[name] === undefined) continue
    conditions.push(condition)
    values[name] = filter[name]
  }
  return { where: conditions.join(' and '), values }
}

/** The index of subjects is in blocks of 1,024 events, each of which is looked into once. */
const SUBJECT_BLOCKS = `
  with recursive blocks (block) as (select :from >> 10 union all select block + 1 from blocks where block < :to >> 10)`
const EVENTS_OF_BLOCKS = `
  blocks b cross join events e indexed by events_subject on e.id >> 10 = b.block and e.subject_hash = :subjectHash`

const SIMPLE_CONDITIONS = [
  ['environment', 'e.environment = :environment'],
  ['status', 'e.status = :status'],
  ['receivedFrom', 'e.received_at >= :receivedFrom'],
  ['receivedTo', 'e.received_at < :receivedTo'],
] as const

function eventOfRow(row: EventRow): EventWithBody {
  return {
    position: row.position,
    id: eventId(row.position, row.nonce),
    kind: row.kind,
    environment: row.environment,
    listener: row.listener,
    authentication: row.authentication,
    subject: row.subject,
    status: row.status,
    mark: row.mark,
    receivedAt: row.received_at,
    part: row.part,
    parts: row.parts,
    duplicates: row.duplicates,
    lastSeenAt: row.last_seen_at,
    callbackId: callbackIdOf(row),
    contentType: row.content_type,
    body: bytesOfFact(row.body, spanOfRow(row)),
  }
}
