import { FORWARDING_TEXTS } from '../../../domain/forwarding/forwarding-texts.ts'
import { numberedId, parseEventId } from '../../../domain/public-id.ts'
import { PortariaError } from '../../../platform/errors.ts'
import type { Connection } from '../database/connection.ts'
import type { Destinations } from '../destinations/destinations.ts'
import { deliveriesOf } from '../rows/delivery-rows.ts'
import type { OrderKeys } from '../rows/order-keys.ts'
import type { Requeue, RequeuedEvent, StoredDelivery } from './requeue.ts'

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
    const row = statements.byId.get(id)
    if (row === undefined) throw new PortariaError('not_found', `there is no delivery ${numberedId('dlv', id)}`)
    return row
  }

  return {
    retry(deliveryId, now) {
      const row = get(deliveryId)
      if (row.state === 'blocked') {
        throw new PortariaError(
          'conflict',
          `${numberedId('dlv', deliveryId)} waits for another delivery of its subject: retry or skip that one`,
        )
      }
      requeue.restart(row, { now, replayId: null })
      return { destinationId: row.destination_id }
    },

    skip(deliveryId, now) {
      const row = get(deliveryId)
      const isHolding = row.state === 'exhausted' && row.order_key !== null
      if (row.state !== 'pending' && row.state !== 'blocked' && !isHolding) {
        throw new PortariaError(
          'conflict',
          `${numberedId('dlv', deliveryId)} is ${row.state} already: there is nothing to skip`,
        )
      }
      statements.skip.run(now, deliveryId)
      if (row.order_key !== null) {
        const delivery = { id: row.id, destinationId: row.destination_id, orderKey: row.order_key }
        orderKeys.release({ ...delivery, isHead: row.state !== 'blocked' }, now)
      }
      return { destinationId: row.destination_id }
    },

    replay(eventId, destinationId, now) {
      const parsed = parseEventId(eventId)
      const event = parsed === null ? undefined : statements.event.get(parsed.position, parsed.nonce)
      if (event === undefined) throw new PortariaError('not_found', `there is no event ${eventId.slice(0, 64)}`)
      const deliveries = statements.ofEvent.all({ position: event.id })
      const wanted = destinationId === null ? deliveries.map((row) => row.destination_id) : [destinationId]
      const targets = wanted.filter((id) => destinationId !== null || destinations.current().some((d) => d.id === id))
      if (targets.length === 0) {
        throw new PortariaError(
          'conflict',
          'the event has no delivery to a destination that still exists: name one with --destination',
        )
      }
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
