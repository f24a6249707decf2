import type {
  AgePlace,
  RedactionSearch,
  Removable,
  RemovableCallback,
  RemovalSearch,
  RemovedThrough,
  SubjectFinds,
} from '../../../domain/retention.ts'
import type { Connection } from '../database/connection.ts'
import { IS_AWAITED } from '../service/token-queries.ts'
import { CANDIDATES, candidatesOf } from '../subjects/subject-index.ts'

/**
 * Of a callback `c`: something of it waits to be delivered, is being sent, or was released from quarantine since `:before`; its token waits, or has
 * become an event since `:before`. The reader looks ahead by it, the writer decides by it.
 */
export const IS_KEPT = `(
  exists (
    select 1 from events e join deliveries d on d.event_id = e.id
    where e.callback_id = c.id and (d.state in ('pending', 'blocked') or d.claimed_by is not null))
  or exists (select 1 from quarantine q where q.callback_id = c.id and q.state = 'released' and q.decided_at >= :before)
  or exists (select 1 from events e where e.callback_id = c.id and e.received_at >= :before)
  or ${IS_AWAITED})`

/** Of a callback `c`. */
export const OWN_BODY_BYTES = `coalesce((
  select sum(length(b.body)) from events e join event_bodies b on b.event_id = e.id where e.callback_id = c.id), 0)`

/** By an index, one kind after the other: there are few. */
export function listStoredKinds(db: Connection): string[] {
  return db
    .prepare<[], string>(`
      with recursive kinds (kind) as (
        select min(kind) from callbacks union all select (select min(kind) from callbacks where kind > kinds.kind) from kinds where kind is not null
      )
      select kind from kinds where kind is not null`)
    .pluck()
    .all()
}

interface AgedRow extends AgePlace, RemovableCallback {
  readonly is_kept: 0 | 1
  readonly bytes: number
}

export function findRemovable(db: Connection, search: RemovalSearch, limit: number): Removable {
  const { part, kind, before, after } = search
  return db.transaction(() => {
    const rows = db
      .prepare<object, AgedRow>(`
        select c.id as callbackId, c.received_at as receivedAt, ${IS_KEPT} as is_kept,
          (select count(*) from events e where e.callback_id = c.id) as events, length(c.body) + ${OWN_BODY_BYTES} as bytes
        from callbacks c indexed by callbacks_age
        where c.kind = :kind and (c.payload_removed_at is not null) = :isPayloadRemoved
          and (c.received_at, c.id) > (:receivedAt, :callbackId) and c.received_at < :before
        order by c.received_at, c.id limit :limit`)
      .all({
        ...(after ?? { receivedAt: Number.NEGATIVE_INFINITY, callbackId: 0 }),
        ...{ kind, before, limit, isPayloadRemoved: part === 'metadata' ? 1 : 0 },
      })
    const removable = rows.filter((row) => row.is_kept === 0)
    const last = rows.length < limit ? undefined : rows.at(-1)
    return {
      callbacks: removable.map(({ callbackId, events }) => ({ callbackId, events })),
      bytes: removable.reduce((sum, row) => sum + row.bytes, 0),
      kept: rows.length - removable.length,
      reach: part === 'metadata' ? reachOf(db, removable) : [],
      next: last === undefined ? null : { receivedAt: last.receivedAt, callbackId: last.callbackId },
    }
  })()
}

/** Up to where the events of these callbacks reach. */
export function reachOf(db: Connection, callbacks: readonly Pick<RemovableCallback, 'callbackId'>[]): RemovedThrough[] {
  return db
    .prepare<[string], RemovedThrough>(`
      select e.kind, e.environment, max(e.id) as through
      from json_each(?) j cross join events e indexed by events_callback on e.callback_id = j.value group by e.kind, e.environment`)
    .all(JSON.stringify(callbacks.map(({ callbackId }) => callbackId)))
}

/** What still holds data of a subject. */
export function findSubject(db: Connection, { subject, environment }: RedactionSearch, limit: number): SubjectFinds {
  const values = { subject, environment, limit }
  const isMeant = 'subject = :subject and (:environment is null or environment = :environment)'
  const quarantineIds = db
    .prepare<object, number>(`select id from quarantine where ${isMeant} and payload_removed_at is null limit :limit`)
    .pluck()
    .all(values)
  const repeat = db.prepare(`select 1 from repeats where ${isMeant} limit 1`).get({ subject, environment })
  return { positions: unredacted(db, values, isMeant), quarantineIds, hasRepeats: repeat !== undefined }
}

/** Newest first. */
function unredacted(
  db: Connection,
  { limit, ...values }: RedactionSearch & { readonly limit: number },
  isMeant: string,
): number[] {
  const { subject } = values
  const select = db
    .prepare<object, number>(`
      select e.id from ${CANDIDATES} where ${isMeant} and payload_removed_at is null order by e.id desc`)
    .pluck()
  return db.transaction(() => {
    const found: number[] = []
    for (const positions of candidatesOf(db, { subject, from: 0, to: Number.MAX_SAFE_INTEGER, newestFirst: true })) {
      found.push(...select.all({ ...values, candidates: JSON.stringify(positions) }))
      if (found.length >= limit) break
    }
    return found.slice(0, limit)
  })()
}
