import type { DeliveryCondition } from '../../../domain/event-record.ts'
import { CHOSEN, isAnyOf } from '../../rules/delivery-choices.ts'
import type { Sql, Values } from '../database/sql.ts'

/** A filter by more deliveries than this visits the events instead: it finds some among the next ones. */
const MOST_DELIVERIES = 10_000

/**
 * Positions of all events with a delivery in one of the states, in no order. The destination is left to the caller.
 * null: there are too many, or the states say nothing.
 */
export async function eventsWithDelivery(sql: Sql, { states }: DeliveryCondition): Promise<number[] | null> {
  if (states === undefined) return null
  const found: number[] = []
  for (const state of states) {
    if (state === 'delivered') return null
    // Nearly all deliveries are delivered, and are in none of the partial indexes.
    for (const condition of CHOSEN[state]) {
      const limit = MOST_DELIVERIES + 1 - found.length
      const rows = await sql.all<{ id: number }>(
        `select event_id as id from deliveries where ${condition} limit :limit`,
        {
          limit,
        },
      )
      found.push(...rows.map(({ id }) => id))
      if (found.length > MOST_DELIVERIES) return null
    }
  }
  return [...new Set(found)]
}

/** Whether an event `e` has such a delivery. */
export function existsDelivery({ states, destination, owner }: DeliveryCondition): string {
  const conditions = [
    states !== undefined && isAnyOf(states, 'd'),
    destination !== undefined &&
      `d.destination_id in (select id from destinations where name = :destination or 'dst_' || id = :destination)`,
    owner !== undefined && 'd.destination_id in (select id from destinations where owner = :deliveryOwner)',
  ]
  const all = ['d.event_id = e.id', ...conditions.filter((one) => one !== false)]
  return `exists (select from deliveries d where ${all.join(' and ')})`
}

/** The values of the condition. */
export function deliveryValues({ destination, owner }: DeliveryCondition = {}): Values {
  return { destination, deliveryOwner: owner }
}
