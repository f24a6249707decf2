import type { DeliveryChoice } from '../../../domain/delivery.ts'
import type { DeliveryCondition } from '../../../domain/event-record.ts'
import { CHOSEN, isAnyOf } from '../../rules/delivery-choices.ts'
import type { Connection } from '../database/connection.ts'
import { prepareOnce } from '../database/prepared.ts'
import { pendingDeliveries } from './delivery-rows.ts'

/** A filter by more deliveries than this visits the events instead: it finds some among the next ones. */
const MOST_DELIVERIES = 10_000

/** By its own index. Nearly all deliveries are delivered, and are in none. */
const SOURCES: Readonly<Record<Exclude<DeliveryChoice, 'delivered'>, readonly string[]>> = {
  pending: [pendingDeliveries('event_id')],
  failing: [pendingDeliveries('event_id', 'and last_error is not null')],
  waiting: [pendingDeliveries('event_id', 'and last_error is null'), ofIndex('deliveries_order', 'blocked')],
  blocked: [ofIndex('deliveries_order', 'blocked')],
  exhausted: [ofIndex('deliveries_failed', 'exhausted')],
  canceled: [ofIndex('deliveries_failed', 'canceled')],
}

function ofIndex(index: string, state: 'blocked' | 'exhausted' | 'canceled'): string {
  return `(select event_id from deliveries indexed by ${index} where ${CHOSEN[state].join(' and ')})`
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
    for (const source of SOURCES[state]) {
      const find = prepareOnce<[number], number>(db, `select event_id from ${source} limit ? + 0`).pluck()
      found.push(...find.all(MOST_DELIVERIES + 1 - found.length))
      if (found.length > MOST_DELIVERIES) return null
    }
  }
  return [...new Set(found)].sort((one, other) => one - other)
}

/** Of a delivery `d`. */
export function deliveryCondition({ states, destination, owner }: DeliveryCondition): string {
  const conditions = [
    // The plus keeps SQLite from walking a partial index for each event: an event has few deliveries.
    states !== undefined && isAnyOf(states, '+d'),
    destination !== undefined &&
      `d.destination_id in (select id from destinations where name = +:destination or 'dst_' || id = +:destination)`,
    owner !== undefined && 'd.destination_id in (select id from destinations where owner = +:deliveryOwner)',
  ]
  return ['true', ...conditions.filter((one) => one !== false)].join(' and ')
}

/** The values of the condition. */
export function deliveryValues({ destination, owner }: DeliveryCondition): Record<string, unknown> {
  return {
    ...(destination !== undefined && { destination }),
    ...(owner !== undefined && { deliveryOwner: owner }),
  }
}
