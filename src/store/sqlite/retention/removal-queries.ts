import type {
  AgePlace,
  RedactionSearch,
  Removable,
  RemovableCallback,
  RemovalSearch,
  RemovedPart,
  RemovedThrough,
  SubjectFinds,
} from '../../../domain/retention.ts'
import { inRealm } from '../../rules/realm-conditions.ts'
import { CALLBACKS_OF_BLOCKS, FIRST_OPEN } from '../blocks/callback-blocks.ts'
import { CANDIDATES, candidatesOf } from '../blocks/subject-index.ts'
import type { Connection } from '../database/connection.ts'
import { existsDelivery } from '../rows/delivery-rows.ts'
import { EVENTS_OF_CALLBACK, existsEvent, IS_AWAITED, positionsOfCallbacks } from '../rows/rows.ts'

/**
 * Of a callback `c`: something of it waits to be delivered, is being sent, or was released from quarantine since `:before`; its token waits, or has
 * become an event since `:before`. The reader looks ahead by it, the writer decides by it.
 */
export const IS_KEPT = `(
  ${existsEvent(existsDelivery(`d.state in ('pending', 'blocked') or d.claimed_by is not null`))}
  or exists (select 1 from quarantine q where q.callback_id = c.id and q.state = 'released' and q.decided_at >= :before)
  or ${existsEvent('e.received_at >= :before')}
  or ${IS_AWAITED})`

/** Of a callback `c`. Only events that were resolved later have bodies of their own. */
export const OWN_BODY_BYTES = `coalesce((
  select sum(length(b.body)) from ${EVENTS_OF_CALLBACK} join event_bodies b on b.event_id = e.id), 0)`

/** From the summaries, one kind after the other, because there are few, and from the callbacks after them. */
export function listStoredKinds(db: Connection): string[] {
  return db
    .prepare<[], string>(`
      with recursive kinds (kind) as (
        select min(kind) from callback_blocks
        union all select (select min(kind) from callback_blocks where kind > kinds.kind) from kinds where kind is not null
      )
      select kind from kinds where kind is not null union select kind from callbacks where id >= ${FIRST_OPEN} order by kind`)
    .pluck()
    .all()
}

interface AgedRow extends AgePlace, RemovableCallback {
  readonly is_kept: 0 | 1
  readonly bytes: number
}

export function findRemovable(db: Connection, search: RemovalSearch, limit: number): Removable {
  const { part, kind, before, after } = search
  const values = { kind, before, after: after?.callbackId ?? 0 }
  return db.transaction(() => {
    const inBlocks = db.prepare<object, AgedRow>(agedInBlocks(part)).all({ ...values, limit })
    const behind = db
      .prepare<object, AgedRow>(agedBehindBlocks(part))
      .all({ ...values, limit: limit - inBlocks.length })
    const rows = [...inBlocks, ...behind]
    const removable = rows.filter((row) => row.is_kept === 0)
    const last = rows.length < limit ? undefined : rows.at(-1)
    return {
      callbacks: removable.map(({ callbackId, events }) => ({ callbackId, events })),
      bytes: removable.reduce((sum, row) => sum + row.bytes, 0),
      kept: rows.length - removable.length,
      reach:
        part === 'metadata'
          ? reachOf(
              db,
              positionsOfCallbacks(
                db,
                removable.map(({ callbackId }) => callbackId),
              ),
            )
          : [],
      next: last === undefined ? null : { receivedAt: last.receivedAt, callbackId: last.callbackId },
    }
  })()
}

const AGED_COLUMNS = `
  c.id as callbackId, c.received_at as receivedAt, ${IS_KEPT} as is_kept,
  (c.event_id is not null) + (select count(*) from ${EVENTS_OF_CALLBACK}) as events, length(c.body) + ${OWN_BODY_BYTES} as bytes`

function agedConditions(part: RemovedPart): string {
  return `+c.id > :after and c.kind = :kind and c.payload_removed_at is ${part === 'metadata' ? 'not null' : 'null'} and c.received_at < :before`
}

/** Visits only blocks that have such callbacks. The last block may have younger ones, and each block some that are kept. */
function agedInBlocks(part: RemovedPart): string {
  return `
    select ${AGED_COLUMNS} from ${CALLBACKS_OF_BLOCKS}
    where b.kind = :kind and b.block >= :after >> 10 and b.${part === 'metadata' ? 'without_payload' : 'with_payload'} > 0 and b.earliest < :before
      and ${agedConditions(part)} order by b.block, c.id limit :limit`
}

function agedBehindBlocks(part: RemovedPart): string {
  return `
    select ${AGED_COLUMNS} from callbacks c not indexed
    where c.id >= ${FIRST_OPEN} and ${agedConditions(part)} order by c.id limit :limit`
}

/** Up to where these events reach. */
export function reachOf(db: Connection, positions: readonly number[]): RemovedThrough[] {
  return db
    .prepare<[string], RemovedThrough>(`
      select e.kind, e.environment, max(e.id) as through
      from json_each(?) j cross join events e on e.id = j.value group by e.kind, e.environment`)
    .all(JSON.stringify(positions))
}

/** What still holds data of a subject. */
export function findSubject(db: Connection, search: RedactionSearch, limit: number): SubjectFinds {
  const { subject, institution, environment } = search
  const meant = { subject, institution, environment }
  const values = { ...meant, limit }
  const isMeant = `subject = :subject and ${inRealm('environment')}`
  const quarantineIds = db
    .prepare<object, number>(`select id from quarantine where ${isMeant} and payload_removed_at is null limit :limit`)
    .pluck()
    .all(values)
  const repeat = db.prepare(`select 1 from repeats where ${isMeant} limit 1`).get(meant)
  const known = db.prepare(`select 1 from known_subjects where ${isMeant} limit 1`).get(meant)
  return {
    positions: unredacted(db, values, isMeant),
    quarantineIds,
    hasRepeats: repeat !== undefined || known !== undefined,
  }
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
