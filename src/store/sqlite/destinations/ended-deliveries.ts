import type { Exhausted } from '../../../domain/delivery.ts'
import { FORWARDING_TEXTS } from '../../../domain/forwarding/forwarding-texts.ts'
import type { Connection } from '../database/connection.ts'
import { pendingDeliveries } from '../rows/delivery-rows.ts'
import type { OrderKeys } from '../rows/order-keys.ts'
import type { Destinations } from './destinations.ts'
import type { UnusedDestinations } from './unused-destinations.ts'

/** Ends deliveries of one destination without an attempt, some at a time. */
export interface EndedDeliveries {
  /** Those that are too old. Only unclaimed ones. */
  exhaust(old: { id: number; dueBefore: number; limit: number; now: number }): Exhausted
  /** Those of a removed destination. Returns how many; fewer than the limit: it was the last call. */
  cancel(id: number, limit: number, now: number): number
}

export function createEndedDeliveries(
  db: Connection,
  parts: {
    readonly orderKeys: OrderKeys
    readonly destinations: Pick<Destinations, 'current'>
    readonly unused: Pick<UnusedDestinations, 'removeDeleted'>
  },
): EndedDeliveries {
  const { orderKeys, destinations, unused } = parts
  const statements = prepareStatements(db)

  return {
    exhaust({ id, dueBefore, limit, now }) {
      const holds = destinations.current().find((destination) => destination.id === id)?.onExhausted === 'hold'
      const ended = { count: 0, holding: 0 }
      // A released delivery may be too old itself.
      for (let isAnyReleased = true; isAnyReleased && ended.count < limit; ) {
        isAnyReleased = false
        const heads = statements.exhaust.all({ id, dueBefore, limit: limit - ended.count, now })
        ended.count += heads.length
        for (const head of heads) {
          if (head.order_key === null) continue
          if (holds) ended.holding++
          else {
            orderKeys.release({ id: head.id, destinationId: id, orderKey: head.order_key, isHead: true }, now)
            isAnyReleased = true
          }
        }
      }
      return ended
    },
    cancel(id, limit, now) {
      const { changes } = statements.cancel.run({ id, limit, now })
      if (changes < limit) {
        // If the destination comes back, exhausted deliveries must not block new ones.
        statements.forgetOrder.run(id)
        statements.settle.run(id)
        unused.removeDeleted(id)
      }
      return changes
    },
  }
}

function prepareStatements(db: Connection) {
  return {
    exhaust: db.prepare<[Record<string, number>], { id: number; order_key: number | null }>(`
      update deliveries set state = 'exhausted', reason = '${FORWARDING_TEXTS.too_old}', ended_at = :now, next_attempt_at = null
      where id in (
        select id from deliveries indexed by deliveries_due
        where destination_id = :id and state = 'pending' and claimed_by is null and (replay_id is not null) in (0, 1)
          and next_attempt_at < :dueBefore
        limit :limit)
      returning id, order_key`),
    forgetOrder: db.prepare(`
      update deliveries set order_key = null where destination_id = ? and order_key is not null and state = 'exhausted'`),
    settle: db.prepare(`
      update destinations set deliveries_through = (select coalesce(max(id), 0) from deliveries)
      where id = ? and state in ('retired', 'deleted')`),
    // Blocked deliveries first, then pending ones: after a crash in between, every order key still has a head. An attempt whose outcome is not
    // recorded yet keeps its claim.
    cancel: db.prepare(`
      update deliveries set state = 'canceled', reason = '${FORWARDING_TEXTS.destination_removed}', ended_at = :now, next_attempt_at = null,
        order_key = null
      where id in (
        select id from deliveries indexed by deliveries_order where destination_id = :id and order_key is not null and state = 'blocked'
        union all
        select id from ${pendingDeliveries('id', 'and destination_id = :id')}
        limit :limit)`),
  }
}
