import { digestOf, HASHED_FIELDS, type HashedValues } from '../../../domain/event-hash.ts'
import type { Connection } from '../database/connection.ts'
import type { SpanRow } from '../events/rows.ts'
import { subjectHash } from '../events/subject-hash.ts'
import { HASHED_COLUMNS } from './audit-rows.ts'

export interface EventEntry {
  readonly position: number
  /** Recomputed from the row; null: the row contradicts its callback. */
  readonly digest: Uint8Array | null
  readonly hash: Uint8Array
  readonly payloadHash: Buffer
  readonly callbackId: number
  readonly isPayloadRemoved: boolean
  /** It has a body of its own. */
  readonly isResolved: boolean
  readonly span: SpanRow
}

/** The digest that retention left of an event. */
export interface LinkEntry {
  readonly position: number
  readonly digest: Uint8Array
  readonly hash: null
}

export type AuditEntry = EventEntry | LinkEntry

export interface AuditReader {
  /** Some entries after a position, in order; `end`: they are complete up to there. Inside a transaction. */
  entriesBehind(position: number, upTo: number): { readonly entries: AuditEntry[]; readonly end: number }
}

const AT_ONCE = 1000
const WIDTH = HASHED_FIELDS.length
const SPAN_AT = HASHED_FIELDS.indexOf('arrayStart')

type Extras = readonly [
  hash: Buffer,
  payloadHash: Buffer,
  callbackId: number,
  isPayloadRemoved: number,
  subject: string | null,
  subjectHash: number | null,
  /** null: its callback is missing. */
  isAsItsCallback: number | null,
  isResolved: number,
]

export function createAuditReader(db: Connection): AuditReader {
  const events = db
    .prepare<[number, number, number], unknown[]>(`
      select ${HASHED_COLUMNS}, e.hash, e.payload_hash, e.callback_id, e.payload_removed_at is not null, e.subject, e.subject_hash,
        iif(b.source is null, e.received_at = c.received_at, e.received_at >= c.received_at) and e.environment = c.environment, b.source is 'resolved'
      from events e left join callbacks c on c.id = e.callback_id left join peers p on p.id = c.peer_id
        left join event_bodies b on b.event_id = e.id
      where e.id > ? and e.id <= ? order by e.id limit ?`)
    .raw()
  const links = db.prepare<[number, number, number], { position: number; digest: Buffer }>(
    'select position, digest from removed_events where position > ? and position <= ? order by position limit ?',
  )

  return {
    entriesBehind(position, upTo) {
      // At the same position the link comes first.
      const found = [links.all(position, upTo, AT_ONCE).map(linkOf), events.all(position, upTo, AT_ONCE).map(entryOf)]
      const end = Math.min(upTo, ...found.filter(isFull).map((some) => some.at(-1)?.position ?? upTo))
      const entries = found.flat().filter((entry) => entry.position <= end)
      return { entries: entries.sort((a, b) => a.position - b.position), end }
    },
  }
}

function isFull(some: readonly AuditEntry[]): boolean {
  return some.length === AT_ONCE
}

function linkOf(row: { position: number; digest: Buffer }): AuditEntry {
  return { ...row, hash: null }
}

function entryOf(row: unknown[]): AuditEntry {
  const values = row.slice(0, WIDTH) as unknown as HashedValues
  const [hash, payloadHash, callbackId, isPayloadRemoved, subject, storedHash, isAsItsCallback, isResolved] = row.slice(
    WIDTH,
  ) as unknown as Extras
  // Events of schema 8 and later have no hash of their subject.
  const isSound =
    isAsItsCallback === 1 && (storedHash === null || (subject !== null && storedHash === subjectHash(subject)))
  const [array_start, array_end, item_start, item_end] = values.slice(SPAN_AT, SPAN_AT + 4) as (number | null)[]
  return {
    position: values[1] as number,
    digest: isSound ? digestOf(values) : null,
    hash,
    payloadHash,
    callbackId,
    isPayloadRemoved: isPayloadRemoved === 1,
    isResolved: isResolved === 1,
    span: { array_start, array_end, item_start, item_end } as SpanRow,
  }
}
