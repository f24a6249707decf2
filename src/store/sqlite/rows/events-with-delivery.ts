import type { DeliveryState } from '../../../domain/delivery.ts'
import type { DeliveryCondition } from '../../../domain/event-record.ts'
import type { Connection } from '../database/connection.ts'
import { prepareOnce } from '../database/prepared.ts'
import { pendingDeliveries } from './delivery-rows.ts'

/** A filter by more deliveries than this visits the events instead: it finds some among the next ones. */
const MOST_DELIVERIES = 10_000

/** By its own index. Nearly all deliveries are delivered, and are in none. */
const SOURCES: Readonly<Record<Exclude<DeliveryState, 'delivered'>, string>> = {
  pending: pendingDeliveries('event_id'),
  blocked: `(select event_id from deliveries indexed by deliveries_order where order_key is not null and state = 'blocked')`,
  exhausted: ofFailed('exhausted'),
  canceled: ofFailed('canceled'),
}

function ofFailed(state: DeliveryState): string {
  return `(select event_id from deliveries indexed by deliveries_failed where state in ('exhausted', 'canceled') and state = '${state}')`
}

/**
 * Positions of all events with a delivery in one of the states, ascending. The destination is left to the caller.
 * null: there are too many, or the states say nothing.
 */
export function eventsWithDelivery(db: Connection, { states }: DeliveryCondition = {}): number[] | null {
  if (states === undefined) return null
  const found: number[] = []
  for (const state of states) {
    if (state === 'delivered') return null
    const find = prepareOnce<[number], number>(db, `select event_id from ${SOURCES[state]} limit ? + 0`).pluck()
    found.push(...find.all(MOST_DELIVERIES + 1 - found.length))
    if (found.length > MOST_DELIVERIES) return null
  }
  return [...new Set(found)].sort((one, other) => one - other)
}

/** Of a delivery `d`. */
export function deliveryCondition({ states, destination, owner }: DeliveryCondition): string {
  const conditions = [
    states !== undefined && 'd.state in (select value from json_each(:deliveryStates))',
    destination !== undefined &&
      `d.destination_id in (select id from destinations where name = +:destination or 'dst_' || id = +:destination)`,
    owner !== undefined && 'd.destination_id in (select id from destinations where owner = +:deliveryOwner)',
  ]
  return ['true', ...conditions.filter((one) => one !== false)].join(' and ')
}

/** The values of the condition. */
export function deliveryValues({ states, destination, owner }: DeliveryCondition): Record<string, unknown> {
  return {
    ...(states !== undefined && { deliveryStates: JSON.stringify(states) }),
    ...(destination !== undefined && { destination }),
    ...(owner !== undefined && { deliveryOwner: owner }),
  }
}
