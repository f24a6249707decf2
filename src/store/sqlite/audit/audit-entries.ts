import { bytesOfFact } from '../../../domain/event.ts'
import { digestOf, HASHED_FIELDS, type HashedValues, payloadHashOf } from '../../../domain/event-hash.ts'
import { readOncePerCallback } from '../../rows/payload-row.ts'
import type { SpanRow } from '../../rows/span-row.ts'
import { spanOfRow } from '../../rows/span-row.ts'
import {
  type AuditEntry,
  type AuditPart,
  type AuditRange,
  inOrder,
  linkOf,
  POSITIONS_AT_ONCE,
} from '../../verification/audit-verification.ts'
import type { Connection } from '../database/connection.ts'
import { readAnchor } from './audit-points.ts'
import { HASHED_COLUMNS } from './audit-rows.ts'

/** The ranges of a chain in order, without those that have no entry. */
export function createAuditRanges(db: Connection, after: number, upTo: number): () => AuditRange | null {
  const firstBehind = db
    .prepare<[number, number], number | null>(`
      select min(position) from (
        select min(id) as position from events where id > ? union all select min(position) from removed_events where position > ?)`)
    .pluck()
  let done = after
  return function nextRange() {
    const first = firstBehind.get(done, done) ?? null
    if (first === null || first > upTo) return null
    done = Math.min(first - 1 + POSITIONS_AT_ONCE, upTo)
    return { after: first - 1, to: done }
  }
}

/** A longer body is read by a query of its own, so that a range takes little memory, and once for all facts of its callback. */
const INLINE_BYTES = 16_384
const WIDTH = HASHED_FIELDS.length
const SPAN_AT = HASHED_FIELDS.indexOf('arrayStart')
const PAYLOAD_HASH_AT = HASHED_FIELDS.indexOf('payloadHash')

type Extras = readonly [
  /** In hexadecimal: a text costs a fifth of a buffer. */
  hash: string,
  callbackId: number,
  isPayloadRemoved: number,
  /** null: its callback is missing. */
  isAsItsCallback: number | null,
  isResolved: number,
  /** null: to be read by a query of its own. */
  body: Buffer | null,
]

/** Reads one range per call, in a transaction of its own. */
export function createAuditReader(db: Connection): (range: AuditRange) => AuditPart {
  const events = db
    .prepare<[number, number], unknown[]>(`
      select ${HASHED_COLUMNS}, hex(e.hash), e.callback_id, e.payload_removed_at is not null,
        iif(b.source is null, e.received_at = c.received_at, e.received_at >= c.received_at) and e.environment = c.environment,
        b.source is 'resolved', iif(e.parts = 1 and b.source is not 'resolved' and length(c.body) <= ${INLINE_BYTES}, c.body, null)
      from events e left join callbacks c on c.id = e.callback_id left join peers p on p.id = c.peer_id
        left join event_bodies b on b.event_id = e.id
      where e.id > ? and e.id <= ? order by e.id`)
    .raw()
  const links = db.prepare<[number, number], { position: number; digest: Buffer }>(
    'select position, digest from removed_events where position > ? and position <= ? order by position',
  )
  const bodyOf = createBodyReader(db)

  function entryOf(row: unknown[]): AuditEntry {
    const values = row.slice(0, WIDTH) as unknown as HashedValues
    const extras = row.slice(WIDTH) as unknown as Extras
    const [hash, , isPayloadRemoved, isAsItsCallback] = extras
    return {
      position: values[1] as number,
      digest: isAsItsCallback === 1 ? digestOf(values) : null,
      hash: Buffer.from(hash, 'hex'),
      payload: isPayloadRemoved === 1 ? 'removed' : isPayloadSound(values, extras) ? 'sound' : 'altered',
    }
  }

  function isPayloadSound(values: HashedValues, [, callbackId, , , isResolved, inline]: Extras): boolean {
    const isOwn = isResolved === 1
    const body = inline ?? (isOwn ? bodyOf.own(values[1] as number) : bodyOf.callback(callbackId))
    if (body === undefined) return false
    return payloadHashOf(isOwn ? body : bytesOfFact(body, spanIn(values))) === values[PAYLOAD_HASH_AT]
  }

  return db.transaction((range: AuditRange) => {
    const anchor = readAnchor(db)
    const after = Math.max(range.after, anchor.position)
    const removed = links.all(after, range.to).map(linkOf)
    const present = events.all(after, range.to).map(entryOf)
    return { anchor, entries: inOrder(removed, present) }
  })
}

function spanIn(values: HashedValues) {
  const [array_start, array_end, item_start, item_end] = values.slice(SPAN_AT, SPAN_AT + 4) as (number | null)[]
  return spanOfRow({ array_start, array_end, item_start, item_end } as SpanRow)
}

function createBodyReader(db: Connection) {
  const ofCallback = db.prepare<[number], Buffer>('select body from callbacks where id = ?').pluck()
  const ofEvent = db.prepare<[number], Buffer>('select body from event_bodies where event_id = ?').pluck()
  return {
    own: (position: number): Buffer | undefined => ofEvent.get(position),
    callback: readOncePerCallback((id): Buffer | undefined => ofCallback.get(id)),
  }
}
