import type { DeliveryOrder } from '../../../domain/destination.ts'
import type { Environment } from '../../../domain/event.ts'
import type { Connection } from '../database/connection.ts'
import { subjectHash } from '../events/subject-hash.ts'

/** The line that a delivery stands in at a destination of this order; null: in none. A subject of production is not the one of sandbox. */
export function orderKeyOf(
  { order }: { readonly order: DeliveryOrder },
  { environment, subject }: { readonly environment: Environment; readonly subject: string | null },
): number | null {
  return order === 'subject' && subject !== null ? subjectHash(`${environment} ${subject}`) : null
}

/**
 * The lines of ordered subjects: the deliveries of one subject to one destination, in which only the head may be claimed and the others are
 * `blocked`. A line that is not empty always has a head: pending, or exhausted and holding.
 */
export interface OrderKeys {
  /** Whether somebody stands in the line already. */
  isTaken(destinationId: number, orderKey: number): boolean
  /** A head that comes behind this event and that nobody has claimed is the head no more: the caller puts another one in its place. */
  demote(destinationId: number, orderKey: number, eventId: number): void
  /** Whether somebody else is the head. */
  hasOtherHead(destinationId: number, orderKey: number, deliveryId: number): boolean
  /**
   * The delivery has ended: it leaves its line. Where it was the head, the next one becomes claimable, due as if it had never waited for
   * another one: what waited for long stays in the backlog, and what came just now has its first wait.
   */
  release(delivery: { id: number; destinationId: number; orderKey: number; isHead: boolean }, now: number): void
  /** The destination has an order from now on: what it is owed stands in lines, oldest first. What is under way goes on. */
  enable(destinationId: number): void
  /** The destination has no order any more: nobody waits for another one. */
  disable(destinationId: number): void
}

/** @param firstWaitMs wait before the first attempt, where the destination has no schedule of its own */
export function createOrderKeys(db: Connection, firstWaitMs: number): OrderKeys {
  // `+ 0`: as in the statements of claims.
  const taken = db.prepare<[number, number]>(
    'select 1 from deliveries indexed by deliveries_line where destination_id = ? + 0 and order_key = ? + 0 limit 1',
  )
  const otherHead = db.prepare<[number, number, number]>(`
    select 1 from deliveries indexed by deliveries_line where destination_id = ? + 0 and order_key = ? + 0 and id <> ? and state <> 'blocked' limit 1`)
  const demote = db.prepare<[number, number, number]>(`
    update deliveries indexed by deliveries_line set state = 'blocked', next_attempt_at = null
    where destination_id = ? + 0 and order_key = ? + 0 and event_id > ? and state = 'pending' and claimed_by is null`)
  const clear = db.prepare('update deliveries set order_key = null where id = ?')
  db.function('order_key', { deterministic: true, directOnly: true }, (environment: Environment, subject: string) =>
    orderKeyOf({ order: 'subject' }, { environment, subject }),
  )
  const enable = db.prepare(`
    update deliveries set order_key = order_key(e.environment, e.subject) from events e
    where deliveries.destination_id = ? and deliveries.state = 'pending' and e.id = deliveries.event_id and e.subject is not null`)
  const block = db.prepare(`
    update deliveries set state = 'blocked', next_attempt_at = null
    where destination_id = :destinationId and order_key is not null and state = 'pending' and exists (
      select 1 from deliveries head indexed by deliveries_line
      where head.destination_id = :destinationId and head.order_key = deliveries.order_key and head.event_id < deliveries.event_id)`)
  const firstWait = `(select coalesce(json_extract(schedule, '$[0]'), :firstWaitMs) from destinations where id = :destinationId)`
  const release = db.prepare(`
    update deliveries set state = 'pending',
      next_attempt_at = min(:now + ${firstWait}, coalesce(replayed_at, created_at + ${firstWait}))
    where state = 'blocked' and id = (
      select id from deliveries indexed by deliveries_line where destination_id = :destinationId + 0 and order_key = :orderKey + 0
      order by event_id limit 1)`)
  const disable = db.prepare(`
    update deliveries set order_key = null, state = case state when 'blocked' then 'pending' else state end,
      next_attempt_at = case state when 'blocked' then coalesce(replayed_at, created_at + ${firstWait}) else next_attempt_at end
    where destination_id = :destinationId and order_key is not null`)
  return {
    isTaken: (destinationId, orderKey) => taken.get(destinationId, orderKey) !== undefined,
    demote: (destinationId, orderKey, eventId) => void demote.run(destinationId, orderKey, eventId),
    hasOtherHead: (destinationId, orderKey, deliveryId) =>
      otherHead.get(destinationId, orderKey, deliveryId) !== undefined,
    release({ id, destinationId, orderKey, isHead }, now) {
      clear.run(id)
      if (isHead) release.run({ destinationId, orderKey, now, firstWaitMs })
    },
    enable(destinationId) {
      enable.run(destinationId)
      block.run({ destinationId })
    },
    disable: (destinationId) => void disable.run({ destinationId, firstWaitMs }),
  }
}
