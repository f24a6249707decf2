/**
 * The deliveries of one subject and environment share an order key (a partial index). Only the first is `pending`; the
 * others are `blocked` and not in the index of due deliveries. The transaction that ends the first makes the next one
 * pending, due as if it had never waited.
 */

import type { Realm } from '../../../domain/realm.ts'
import { orderKeyOf } from '../../storing/order-key.ts'
import type { Connection } from '../database/connection.ts'
import { pendingDeliveries } from './delivery-rows.ts'

/**
 * Per-subject FIFO at destinations with `order: subject`. Unfinished deliveries of a destination with the same order key form a queue, in the order of
 * their events. Only its head may be claimed, the others are `blocked`. The head is pending, or exhausted with `onExhausted: hold`. A queue that is not
 * empty always has a head.
 */
export interface OrderKeys {
  /** Whether the queue has a delivery already. */
  isTaken(destinationId: number, orderKey: number): boolean
  /** Blocks an unclaimed head of a later event. The caller then makes another delivery the head. */
  demote(destinationId: number, orderKey: number, eventId: number): void
  /** Whether another delivery is the head. */
  hasOtherHead(destinationId: number, orderKey: number, deliveryId: number): boolean
  /**
   * Removes an ended delivery from its queue. If it was the head, the next one becomes pending, due as if it had never been blocked: an old one is
   * part of the backlog, a new one has its first wait.
   */
  release(delivery: { id: number; destinationId: number; orderKey: number; isHead: boolean }, now: number): void
  /** Exhausted deliveries no longer block their subjects. */
  releaseExhausted(destinationId: number, now: number): void
  /** Gives the destination's waiting deliveries order keys, oldest first. Attempts under way continue. */
  enable(destinationId: number): void
  /** Removes the order keys of the destination's deliveries, and unblocks them. */
  disable(destinationId: number): void
}

/** @param firstWaitMs wait before the first attempt, unless the destination has a schedule of its own */
export function createOrderKeys(db: Connection, firstWaitMs: number): OrderKeys {
  // `+ 0`: see claim-statements.ts.
  const taken = db.prepare<[number, number]>(
    'select 1 from deliveries indexed by deliveries_order where destination_id = ? + 0 and order_key = ? + 0 limit 1',
  )
  const otherHead = db.prepare<[number, number, number]>(`
    select 1 from deliveries indexed by deliveries_order where destination_id = ? + 0 and order_key = ? + 0 and id <> ? and state <> 'blocked' limit 1`)
  const demote = db.prepare<[number, number, number]>(`
    update deliveries indexed by deliveries_order set state = 'blocked', next_attempt_at = null
    where destination_id = ? + 0 and order_key = ? + 0 and event_id > ? and state = 'pending' and claimed_by is null`)
  const clear = db.prepare('update deliveries set order_key = null where id = ?')
  db.function('order_key', { deterministic: true, directOnly: true }, (environment: Realm, subject: string) =>
    orderKeyOf({ order: 'subject' }, { environment, subject }),
  )
  const enable = db.prepare(`
    update deliveries set order_key = order_key(e.environment, e.subject) from events e
    where deliveries.id in (select id from ${pendingDeliveries('id', 'and destination_id = :destinationId')})
      and e.id = deliveries.event_id and e.subject is not null`)
  const block = db.prepare(`
    update deliveries set state = 'blocked', next_attempt_at = null
    where destination_id = :destinationId and order_key is not null and state = 'pending' and exists (
      select 1 from deliveries head indexed by deliveries_order
      where head.destination_id = :destinationId and head.order_key = deliveries.order_key and head.event_id < deliveries.event_id)`)
  const firstWait = `(select coalesce(json_extract(schedule, '$[0]'), :firstWaitMs) from destinations where id = :destinationId)`
  const release = db.prepare(`
    update deliveries set state = 'pending',
      next_attempt_at = min(:now + ${firstWait}, coalesce(replayed_at, created_at + ${firstWait}))
    where state = 'blocked' and id = (
      select id from deliveries indexed by deliveries_order where destination_id = :destinationId + 0 and order_key = :orderKey + 0
      order by event_id limit 1)`)
  const disable = db.prepare(`
    update deliveries set order_key = null, state = case state when 'blocked' then 'pending' else state end,
      next_attempt_at = case state when 'blocked' then coalesce(replayed_at, created_at + ${firstWait}) else next_attempt_at end
    where destination_id = :destinationId and order_key is not null`)
  const holding = db.prepare<[number], { id: number; order_key: number }>(`
    select id, order_key from deliveries indexed by deliveries_order
    where destination_id = ? and order_key is not null and state = 'exhausted'`)

  const releaseOne: OrderKeys['release'] = ({ id, destinationId, orderKey, isHead }, now) => {
    clear.run(id)
    if (isHead) release.run({ destinationId, orderKey, now, firstWaitMs })
  }
  return {
    isTaken: (destinationId, orderKey) => taken.get(destinationId, orderKey) !== undefined,
    demote: (destinationId, orderKey, eventId) => void demote.run(destinationId, orderKey, eventId),
    hasOtherHead: (destinationId, orderKey, deliveryId) =>
      otherHead.get(destinationId, orderKey, deliveryId) !== undefined,
    release: releaseOne,
    releaseExhausted(destinationId, now) {
      for (const { id, order_key: orderKey } of holding.all(destinationId))
        releaseOne({ id, destinationId, orderKey, isHead: true }, now)
    },
    enable(destinationId) {
      enable.run({ destinationId })
      block.run({ destinationId })
    },
    disable: (destinationId) => void disable.run({ destinationId, firstWaitMs }),
  }
}
