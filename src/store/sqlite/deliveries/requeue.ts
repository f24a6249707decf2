import type { RequeuedEvent, StoredDelivery } from '../../rules/deliveries.ts'
import { requeuedOrderKey } from '../../rules/deliveries.ts'
import type { Connection } from '../database/connection.ts'
import type { Destinations } from '../destinations/destinations.ts'
import type { OrderKeys } from '../rows/order-keys.ts'
import type { BacklogSums } from './backlog-sums.ts'

interface Cause {
  readonly now: number
  /** The replay that requeues it, after all live deliveries; null: an operator or client named this delivery or event. */
  readonly replayId: number | null
}

/**
 * Makes an event pending again, inside the transaction: due now, at the first step of the schedule, or blocked if another delivery is the head of its
 * order key.
 */
export interface Requeue {
  /**
   * During an attempt, the delivery is due only after that attempt has failed. Without a replay, an unclaimed head of a later event waits for it.
   * @throws PortariaError `conflict`
   */
  restart(row: StoredDelivery, cause: Cause): void
  /** For a destination without a delivery of this event; returns the delivery's number. @throws PortariaError `conflict` */
  insert(event: RequeuedEvent, destinationId: number, cause: Cause): number
}

export function createRequeue(
  db: Connection,
  parts: { destinations: Destinations; orderKeys: OrderKeys; backlogs: Pick<BacklogSums, 'added'> },
): Requeue {
  const { destinations, orderKeys, backlogs } = parts
  // Later than the claim, even if the clock is set back: this marks a restart during an attempt.
  const restart = db.prepare(`
    update deliveries set state = :state, retries_used = 0, order_key = :orderKey, next_attempt_at = case :state when 'pending' then :now end,
      ended_at = null, reason = null, replayed_at = max(:now, coalesce(claimed_at + 1, 0)), replay_id = :replayId
    where id = :id`)
  const insert = db.prepare(`
    insert into deliveries (event_id, destination_id, state, order_key, created_at, next_attempt_at, replayed_at, replay_id)
    values (:position, :destinationId, :state, :orderKey, :now, case :state when 'pending' then :now end, :now, :replayId)`)

  return {
    restart(row, cause) {
      const orderKey = requeuedOrderKey(row.destination_id, row, destinations.current())
      if (orderKey !== null && cause.replayId === null) orderKeys.demote(row.destination_id, orderKey, row.event_id)
      const isBlocked = orderKey !== null && orderKeys.hasOtherHead(row.destination_id, orderKey, row.id)
      restart.run({ ...cause, id: row.id, orderKey, state: isBlocked ? 'blocked' : 'pending' })
    },

    insert(event, destinationId, cause) {
      const orderKey = requeuedOrderKey(destinationId, event, destinations.current())
      const isBehind = orderKey !== null && orderKeys.isTaken(destinationId, orderKey)
      const state = isBehind ? 'blocked' : 'pending'
      const id = Number(insert.run({ ...cause, position: event.id, destinationId, orderKey, state }).lastInsertRowid)
      backlogs.added(destinationId, id, state, cause.replayId !== null)
      return id
    },
  }
}
