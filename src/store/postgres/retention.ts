import type {
  AgePlace,
  Removable,
  RemovableCallback,
  Removal,
  RemovalSearch,
  Removed,
  RemovedThrough,
} from '../../domain/retention.ts'
import type { ClearedResponseBodies } from '../../domain/store.ts'
import type { Sql } from './database/sql.ts'
import { releaseAll } from './deliveries/order-keys.ts'
import { keepLinks } from './events/chain.ts'
import { dropBlocks } from './events/event-blocks.ts'
import { removeTerms } from './search/search-index.ts'
import type { Transaction } from './writing/transaction.ts'
import type { WriterParts } from './writing/writer-parts.ts'

/**
 * Of a callback `c`: something of it waits to be delivered, is being sent, or was released from quarantine since `:before`; its token waits, or has
 * become an event since `:before`.
 */
const IS_KEPT = `(
  exists (select from events e join deliveries d on d.event_id = e.id
    where e.callback_id = c.callback_id and (d.state in ('pending', 'blocked') or d.claimed_by is not null))
  or exists (select from quarantine q where q.callback_id = c.callback_id and q.state = 'released' and q.decided_at >= at_ms(:before))
  or exists (select from only events e where e.callback_id = c.callback_id and e.received_at >= at_ms(:before))
  or exists (select from notification_tokens t where t.callback_id = c.callback_id and t.next_attempt_at is not null))`

const BODY_BYTES = `length(c.body) + coalesce((select sum(length(e.body)) from only events e where e.callback_id = c.callback_id), 0)`

export async function listStoredKinds(sql: Sql): Promise<string[]> {
  // From kind to kind in the indexes, because callbacks are many and kinds are few.
  const next = (last: string) => `(select least(
    (select min(kind) from callbacks where payload_removed_at is null and kind > ${last}),
    (select min(kind) from callbacks where payload_removed_at is not null and kind > ${last})))`
  const rows = await sql.all<{ kind: string }>(
    `with recursive kinds as (select ${next("''")} as kind union all select ${next('kinds.kind')} from kinds where kinds.kind is not null)
    select kind from kinds where kind is not null`,
  )
  return rows.map(({ kind }) => kind)
}

interface AgedRow extends AgePlace, RemovableCallback {
  readonly isKept: boolean
  readonly bytes: number
}

export async function findRemovable(sql: Sql, search: RemovalSearch, limit: number): Promise<Removable> {
  const { part, kind, before, after } = search
  const rows = await sql.all<AgedRow>(
    `select c.callback_id as "callbackId", c.received_at as "receivedAt", ${IS_KEPT} as "isKept",
      (select count(*) from events e where e.callback_id = c.callback_id) as events, ${BODY_BYTES} as bytes
    from callbacks c
    where c.kind = :kind and c.payload_removed_at is ${part === 'metadata' ? 'not null' : 'null'} and c.received_at < at_ms(:before)
      and (c.received_at, c.callback_id) > (at_ms(:afterAt), :afterId)
    order by c.received_at, c.callback_id limit :limit`,
    { kind, before, afterAt: after?.receivedAt ?? 0, afterId: after?.callbackId ?? 0, limit },
  )
  const removable = rows.filter(({ isKept }) => !isKept)
  const last = rows.length < limit ? undefined : rows.at(-1)
  const ids = removable.map(({ callbackId }) => callbackId)
  return {
    callbacks: removable.map(({ callbackId, events }) => ({ callbackId, events })),
    bytes: removable.reduce((sum, row) => sum + row.bytes, 0),
    kept: rows.length - removable.length,
    reach: part === 'metadata' ? await reachOf(sql, await positionsOf(sql, ids)) : [],
    next: last === undefined ? null : { receivedAt: last.receivedAt, callbackId: last.callbackId },
  }
}

async function positionsOf(sql: Sql, callbackIds: readonly number[]): Promise<number[]> {
  const rows = await sql.all<{ id: number }>(
    'select id from events where callback_id = any(:callbackIds::bigint[]) order by id',
    { callbackIds },
  )
  return rows.map(({ id }) => id)
}

function reachOf(sql: Sql, positions: readonly number[]): Promise<RemovedThrough[]> {
  return sql.all<RemovedThrough>(
    'select kind, environment, max(id) as through from events where id = any(:positions::bigint[]) group by kind, environment',
    { positions },
  )
}

/** Announcement times always increase, even if the clock is set back. */
async function announce(sql: Sql, reach: readonly RemovedThrough[], now: number): Promise<void> {
  const latest = await sql.get<{ at: number | null }>('select max(announced_at) as at from removals')
  const at = Math.max(now, (latest?.at ?? 0) + 1)
  for (const { kind, environment, through } of reach) {
    await sql.run('delete from removals where kind = :kind and environment = :environment and through <= :through', {
      kind,
      environment,
      through,
    })
    await sql.run('insert into removals values (:kind, :environment, :through, at_ms(:at)) on conflict do nothing', {
      kind,
      environment,
      through,
      at,
    })
  }
}

/** Announces also positions below an earlier one: events there may have stayed, unread, until now. */
export async function announceRemoval(
  _parts: unknown,
  transaction: Transaction,
  reach: readonly RemovedThrough[],
  now: number,
): Promise<void> {
  await transaction.head()
  await announce(transaction.sql, reach, now)
}

/** Only positions that `announceRemoval` has not announced. */
async function announceAfter(sql: Sql, reach: readonly RemovedThrough[], now: number): Promise<void> {
  const fresh: RemovedThrough[] = []
  for (const { kind, environment, through } of reach) {
    const known = await sql.get(
      'select 1 from removals where kind = :kind and environment = :environment and through >= :through limit 1',
      { kind, environment, through },
    )
    if (known === undefined) fresh.push({ kind, environment, through })
  }
  await announce(sql, fresh, now)
}

export async function removeAged(
  { firstWaitMs }: WriterParts,
  transaction: Transaction,
  { part, before, callbackIds }: Removal,
  now: number,
): Promise<Removed> {
  const startedAt = performance.now()
  await transaction.head()
  const { sql } = transaction
  const found = await sql.all<{ id: number; bytes: number }>(
    `select c.callback_id as id, ${BODY_BYTES} as bytes from callbacks c
    where c.callback_id = any(:callbackIds::bigint[]) and (c.payload_removed_at is not null) = :isRemoved and not ${IS_KEPT}`,
    { callbackIds, isRemoved: part === 'metadata', before },
  )
  const ids = found.map(({ id }) => id)
  const positions = await positionsOf(sql, ids)
  const destinationIds = await releaseExhausted(sql, positions, { now, firstWaitMs })
  await removeTerms(sql, positions)
  if (part === 'payload') await removePayloads(sql, { ids, positions, now })
  else await removeRows(sql, { ids, positions, now })
  const bytes = found.reduce((sum, row) => sum + row.bytes, 0)
  const tookMs = performance.now() - startedAt
  return { callbacks: ids.length, events: positions.length, bytes, destinationIds, tookMs }
}

/** A delivery without data can never be sent, so it must not block its subject. Returns the destinations with newly due deliveries. */
async function releaseExhausted(
  sql: Sql,
  positions: readonly number[],
  { now, firstWaitMs }: { readonly now: number; readonly firstWaitMs: number },
): Promise<number[]> {
  const holding = await sql.all<{ id: number; destinationId: number; orderKey: number }>(
    `select id, destination_id as "destinationId", order_key as "orderKey" from deliveries
    where event_id = any(:positions::bigint[]) and state = 'exhausted' and order_key is not null`,
    { positions },
  )
  await releaseAll(
    sql,
    holding.map((delivery) => ({ ...delivery, isHead: true, now })),
    firstWaitMs,
  )
  return [...new Set(holding.map(({ destinationId }) => destinationId))]
}

interface Aged {
  readonly ids: readonly number[]
  readonly positions: readonly number[]
  readonly now: number
}

const OF_EVENTS = '= any(:positions::bigint[])'
const OF_CALLBACKS = '= any(:ids::bigint[])'

/** Response bodies, too: they may repeat the request. */
async function removePayloads(sql: Sql, aged: Aged): Promise<void> {
  for (const statement of [
    `update attempts set answer = null where delivery_id in (select id from deliveries where event_id ${OF_EVENTS}) and answer is not null`,
    `update events set body = '' where source = 'resolved' and id ${OF_EVENTS}`,
    `update events set payload_removed_at = at_ms(:now) where id ${OF_EVENTS} and payload_removed_at is null`,
    `update quarantine set state = 'discarded', decided_at = at_ms(:now), decided_by = 'retention'
    where callback_id ${OF_CALLBACKS} and state = 'quarantined'`,
    `update quarantine set payload_removed_at = at_ms(:now) where callback_id ${OF_CALLBACKS} and payload_removed_at is null`,
    `delete from repeats where callback_id ${OF_CALLBACKS}`,
    `update callbacks set body = '', payload_removed_at = at_ms(:now) where callback_id ${OF_CALLBACKS}`,
  ])
    await sql.run(statement, { ...aged })
}

async function removeRows(sql: Sql, aged: Aged): Promise<void> {
  await announceAfter(sql, await reachOf(sql, aged.positions), aged.now)
  await keepLinks(sql, aged.positions)
  // In the order of the references between the tables. A fact of another callback may refer to one of these events.
  for (const statement of [
    `delete from attempts where delivery_id in (select id from deliveries where event_id ${OF_EVENTS})`,
    `delete from deliveries where event_id ${OF_EVENTS}`,
    `update quarantine set event_id = null where event_id ${OF_EVENTS}`,
    `delete from reconciled_facts where event_id ${OF_EVENTS}`,
    `delete from events where id ${OF_EVENTS}`,
    `delete from quarantine where callback_id ${OF_CALLBACKS}`,
    `update notification_tokens set callback_id = null where callback_id ${OF_CALLBACKS}`,
    `delete from repeats where callback_id ${OF_CALLBACKS}`,
    `delete from callbacks where callback_id ${OF_CALLBACKS}`,
    `delete from destination_certificates where destination_id in (${UNREFERRED})`,
    `delete from destinations where id in (${UNREFERRED})`,
  ])
    await sql.run(statement, { ...aged })
  await dropBlocks(sql)
}

/** Deleted destinations without deliveries. */
const UNREFERRED = `
  select t.id from destinations t where t.state = 'deleted' and t.is_settled
    and not exists (select from deliveries d where d.destination_id = t.id) and not exists (select from replays r where r.destination_id = t.id)`

export async function clearResponseBodies(
  _parts: unknown,
  { sql }: Transaction,
  after: number,
  limit: number,
): Promise<ClearedResponseBodies> {
  const row = await sql.get<{ last: number | null }>(
    'select max(id) as last from (select id from attempts where id > :after order by id limit :limit) next',
    { after, limit },
  )
  const last = row?.last ?? null
  if (last === null) return { next: null, cleared: 0 }
  const cleared = await sql.run(
    'update attempts set answer = null where id > :after and id <= :last and length(answer) > 0',
    { after, last },
  )
  return { next: last, cleared }
}
