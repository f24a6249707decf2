import type { Realm } from '../../../domain/realm.ts'
import { orderKeyOf } from '../../storing/order-key.ts'
import type { Sql } from '../database/sql.ts'

/** As in the SQLite store: the unfinished deliveries of a destination with one order key form a queue, and only its head is not `blocked`. */
export interface Ended {
  readonly id: number
  readonly destinationId: number
  readonly orderKey: number
  readonly isHead: boolean
  readonly now: number
}

const FIRST_WAIT =
  '(select coalesce((schedule::jsonb->>0)::bigint, :firstWaitMs::bigint) from destinations where id = :destinationId)'
/** When a delivery would have been due, had it never been blocked. */
const DUE_AT = `coalesce(replayed_at, created_at + ${FIRST_WAIT} * interval '1 ms')`

/** Blocks an unclaimed head of a later event. The caller then makes another delivery the head. */
export async function demote(sql: Sql, destinationId: number, orderKey: number, eventId: number): Promise<void> {
  await sql.run(
    `update deliveries set state = 'blocked', next_attempt_at = null
    where destination_id = :destinationId and order_key = :orderKey and event_id > :eventId and state = 'pending' and claimed_by is null`,
    { destinationId, orderKey, eventId },
  )
}

/** Removes ended deliveries from their queues. Where one was the head, the next one becomes pending. */
export async function releaseAll(sql: Sql, ended: readonly Ended[], firstWaitMs: number): Promise<void> {
  if (ended.length === 0) return
  await sql.run('update deliveries set order_key = null where id = any(:ids::bigint[])', {
    ids: ended.map(({ id }) => id),
  })
  const queues = new Map(
    ended.filter(({ isHead }) => isHead).map((one) => [`${one.destinationId} ${one.orderKey}`, one]),
  )
  const heads = [...queues.values()]
  if (heads.length === 0) return
  await sql.run(
    `update deliveries d set state = 'pending', next_attempt_at = least(at_ms(r.now) + r.first_wait, coalesce(d.replayed_at, d.created_at + r.first_wait))
    from (
      select q.*, coalesce((t.schedule::jsonb->>0)::bigint, :firstWaitMs::bigint) * interval '1 ms' as first_wait
      from unnest(:destinationIds::bigint[], :orderKeys::bigint[], :nows::bigint[]) as q (destination_id, order_key, now)
      join destinations t on t.id = q.destination_id) r
    where d.state = 'blocked' and d.id = (
      select n.id from deliveries n where n.destination_id = r.destination_id and n.order_key = r.order_key order by n.event_id limit 1)`,
    {
      destinationIds: heads.map(({ destinationId }) => destinationId),
      orderKeys: heads.map(({ orderKey }) => orderKey),
      nows: heads.map(({ now }) => now),
      firstWaitMs,
    },
  )
}

/** Exhausted deliveries no longer block their subjects. */
export async function releaseExhausted(
  sql: Sql,
  destinationId: number,
  { now, firstWaitMs }: { readonly now: number; readonly firstWaitMs: number },
): Promise<void> {
  const holding = await sql.all<{ id: number; order_key: number }>(
    `select id, order_key from deliveries where destination_id = :destinationId and order_key is not null and state = 'exhausted'`,
    { destinationId },
  )
  const ended = holding.map(({ id, order_key: orderKey }) => ({ id, destinationId, orderKey, isHead: true, now }))
  await releaseAll(sql, ended, firstWaitMs)
}

/** Gives the destination's waiting deliveries order keys, oldest first. Attempts under way continue. */
export async function enableOrder(sql: Sql, destinationId: number): Promise<void> {
  const waiting = await sql.all<{ id: number; environment: Realm; subject: string }>(
    `select d.id, e.environment, e.subject from deliveries d join events e on e.id = d.event_id
    where d.destination_id = :destinationId and d.state = 'pending' and e.subject is not null`,
    { destinationId },
  )
  await sql.run(
    `update deliveries d set order_key = r.order_key from unnest(:ids::bigint[], :keys::bigint[]) as r (id, order_key) where d.id = r.id`,
    { ids: waiting.map(({ id }) => id), keys: waiting.map((event) => orderKeyOf({ order: 'subject' }, event)) },
  )
  await sql.run(
    `update deliveries d set state = 'blocked', next_attempt_at = null
    where destination_id = :destinationId and order_key is not null and state = 'pending' and exists (
      select from deliveries head where head.destination_id = d.destination_id and head.order_key = d.order_key and head.event_id < d.event_id)`,
    { destinationId },
  )
}

/** Removes the order keys of the destination's deliveries, and unblocks them. */
export async function disableOrder(sql: Sql, destinationId: number, firstWaitMs: number): Promise<void> {
  await sql.run(
    `update deliveries set order_key = null, state = case state when 'blocked' then 'pending' else state end,
      next_attempt_at = case state when 'blocked' then ${DUE_AT} else next_attempt_at end
    where destination_id = :destinationId and order_key is not null`,
    { destinationId, firstWaitMs },
  )
}
