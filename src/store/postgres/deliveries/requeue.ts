import { type RequeuedEvent, requeuedOrderKey } from '../../rules/deliveries.ts'
import { columnsOf, insertRows, type Sql, updateRows, type Value } from '../database/sql.ts'
import type { Transaction } from '../writing/transaction.ts'
import { demote } from './order-keys.ts'

/** An event that a destination gets again. */
export interface Requeued {
  readonly event: RequeuedEvent
  /** Its delivery to the destination; null: there is none yet. */
  readonly deliveryId: number | null
}

export interface Cause {
  readonly now: number
  /** The replay that requeues it, after all live deliveries; null: an operator or client named this delivery or event. */
  readonly replayId: number | null
}

const INSERTED = columnsOf(
  'id:bigint event_id:bigint destination_id:bigint state:text order_key:bigint created_at:time next_attempt_at:time replayed_at:time replay_id:bigint',
)
const RESTARTED = columnsOf('id:bigint state:text order_key:bigint due_at:bigint now:bigint replay_id:bigint')

/**
 * Makes deliveries pending, in this order: due now, at the first step of the schedule, or blocked if another one is the head of its order key. During an
 * attempt, one is due only after that attempt has failed. Without a replay, an unclaimed head of a later event waits for it.
 * @returns the numbers of the deliveries
 */
export async function requeue(
  { sql, ...transaction }: Transaction,
  destinationId: number,
  requeued: readonly Requeued[],
  { now, replayId }: Cause,
): Promise<number[]> {
  const head = await transaction.head()
  const destinations = await transaction.destinations()
  const keyed = requeued.map((one) => ({ ...one, orderKey: requeuedOrderKey(destinationId, one.event, destinations) }))
  if (replayId === null)
    for (const { event, deliveryId, orderKey } of keyed)
      if (orderKey !== null && deliveryId !== null) await demote(sql, destinationId, orderKey, event.id)
  const heads = await readHeads(
    sql,
    destinationId,
    keyed.flatMap(({ orderKey }) => orderKey ?? []),
  )
  const [inserted, restarted]: [Value[][], Value[][]] = [[], []]
  const ids = keyed.map(({ event, deliveryId, orderKey }) => {
    const id = deliveryId ?? ++head.delivery
    const isBlocked = orderKey !== null && (heads.get(orderKey) ?? id) !== id
    if (orderKey !== null && !isBlocked) heads.set(orderKey, id)
    const [state, dueAt] = isBlocked ? ['blocked', null] : ['pending', now]
    if (deliveryId === null) inserted.push([id, event.id, destinationId, state, orderKey, now, dueAt, now, replayId])
    else restarted.push([id, state, orderKey, dueAt, now, replayId])
    return id
  })
  insertRows(sql, 'deliveries', INSERTED, inserted)
  // Later than the claim, even if the clock is set back: this marks a restart during an attempt.
  updateRows(
    sql,
    `update deliveries d set state = r.state, retries_used = 0, order_key = r.order_key, next_attempt_at = at_ms(r.due_at), ended_at = null, reason = null,
      replayed_at = greatest(at_ms(r.now), d.claimed_at + interval '1 ms'), replay_id = r.replay_id`,
    RESTARTED,
    restarted,
  )
  return ids
}

/** The head of each order key that has a queue. */
async function readHeads(sql: Sql, destinationId: number, orderKeys: readonly number[]): Promise<Map<number, number>> {
  if (orderKeys.length === 0) return new Map()
  const rows = await sql.all<{ id: number; order_key: number }>(
    `select id, order_key from deliveries where destination_id = :destinationId and order_key = any(:orderKeys::bigint[]) and state <> 'blocked'`,
    { destinationId, orderKeys },
  )
  return new Map(rows.map(({ id, order_key: orderKey }) => [orderKey, id]))
}
