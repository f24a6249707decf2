import { FORWARDING_TEXTS } from '../../../domain/forwarding/forwarding-texts.ts'
import { parseEventId } from '../../../domain/public-id.ts'
import type { RequeuedEvent, StoredDelivery } from '../../rules/deliveries.ts'
import { knownDelivery, knownEvent, refuseRetry, refuseSkip, replayTargets } from '../../rules/deliveries.ts'
import type { Connection } from '../database/connection.ts'
import type { Destinations } from '../destinations/destinations.ts'
import { deliveriesOf } from '../rows/delivery-rows.ts'
import type { OrderKeys } from '../rows/order-keys.ts'
import type { Requeue } from './requeue.ts'

/** Operator actions on single deliveries. */
export interface DeliveryActions {
  retry(deliveryId: number, now: number): { destinationId: number }
  skip(deliveryId: number, now: number): { destinationId: number }
  replay(
    eventId: string,
    destinationId: number | null,
    now: number,
  ): { deliveryIds: number[]; destinationIds: number[]; leftIds: number[] }
}

export function createDeliveryActions(
  db: Connection,
  parts: { destinations: Destinations; orderKeys: OrderKeys; requeue: Requeue },
): DeliveryActions {
  const { destinations, orderKeys, requeue } = parts
  const statements = prepareStatements(db)

  function get(id: number): StoredDelivery {
    return knownDelivery(id, statements.byId.get(id))
  }

  return {
    retry(deliveryId, now) {
      const row = get(deliveryId)
      refuseRetry(row)
      requeue.restart(row, { now, replayId: null })
      return { destinationId: row.destination_id }
    },

    skip(deliveryId, now) {
      const row = get(deliveryId)
      refuseSkip(row)
      statements.skip.run(now, deliveryId)
      if (row.order_key !== null) {
        const delivery = { id: row.id, destinationId: row.destination_id, orderKey: row.order_key }
        orderKeys.release({ ...delivery, isHead: row.state !== 'blocked' }, now)
      }
      return { destinationId: row.destination_id }
    },

    replay(eventId, destinationId, now) {
      const parsed = parseEventId(eventId)
      const event = knownEvent(
        eventId,
        parsed === null ? undefined : statements.event.get(parsed.position, parsed.nonce),
      )
      const deliveries = statements.ofEvent.all({ position: event.id })
      const targets = replayTargets(deliveries, destinationId, destinations.current())
      const leftIds: number[] = []
      const deliveryIds = targets.map((target) => {
        const row = deliveries.find((delivery) => delivery.destination_id === target)
        if (row === undefined) return requeue.insert(event, target, { now, replayId: null })
        if (row.state === 'pending' || row.state === 'blocked') leftIds.push(row.id)
        else requeue.restart(row, { now, replayId: null })
        return row.id
      })
      return { deliveryIds, destinationIds: targets, leftIds }
    },
  }
}

function prepareStatements(db: Connection) {
  const columns =
    'd.id, d.event_id, d.destination_id, d.state, d.order_key, e.environment, e.subject, e.payload_removed_at'
  return {
    byId: db.prepare<[number], StoredDelivery>(
      `select ${columns} from deliveries d join events e on e.id = d.event_id where d.id = ?`,
    ),
    ofEvent: db.prepare<{ position: number }, StoredDelivery>(`
      select ${columns} from ${deliveriesOf('(select :position as value)')} join events e on e.id = d.event_id order by d.id`),
    event: db.prepare<[number, string], RequeuedEvent>(
      'select id, environment, subject, payload_removed_at from events where id = ? and nonce = ?',
    ),
    skip: db.prepare(`
      update deliveries set state = 'canceled', reason = '${FORWARDING_TEXTS.skipped}', ended_at = ?, next_attempt_at = null where id = ?`),
  }
}
