import type { HandedDelivery } from '../../domain/delivery.ts'
import type { Destination } from '../../domain/destination.ts'
import type { ChargeReferences, EventAuthentication, Fact } from '../../domain/event.ts'
import type { Realm } from '../../domain/realm.ts'
import { type ChargeRoute, isWanted } from '../../domain/service/charge-route.ts'
import type { EventRows } from './event-rows.ts'
import type { HandOver } from './hand-over.ts'
import { orderKeyOf } from './order-key.ts'

/** The deliveries of a new event. */
export interface NewDeliveries {
  /** One for each delivery that can be claimed now. */
  readonly destinationIds: number[]
  /** Deliveries that are claimed already. */
  readonly handed: HandedDelivery[]
  /** Deliveries blocked by another one of their subject. */
  blocked: number
  /** Their ids, one after the other; null: there are none. */
  first: number | null
  last: number | null
}

/** The destinations of an event, and the creation time of its deliveries. */
export interface DeliveryTargets {
  readonly destinations: readonly Destination[]
  readonly at: number
  /** They may be claimed at once, because their bytes are the body of the callback, and take so many places. Default 0: they may not. */
  readonly handedSlots?: number
}

export interface NewDeliveriesParts {
  readonly rows: EventRows
  readonly orderKeys: {
    /** Whether an unfinished delivery of the destination has the order key. */
    isTaken(destinationId: number, orderKey: number): boolean
  }
  readonly routes: { routeOf(environment: Realm, references: ChargeReferences): ChargeRoute | null }
  readonly handOver: HandOver
}

/** Inserts the deliveries of a new event: one for each destination that wants the fact. */
export function createNewDeliveries({ rows, orderKeys, routes, handOver }: NewDeliveriesParts, firstWaitMs: number) {
  /** `blocked`: behind another delivery of its subject. */
  function insertDelivery(
    position: number,
    destination: Destination,
    orderKey: number | null,
    { at, handedSlots = 0 }: DeliveryTargets,
  ): { id: number; state: 'blocked' | 'due' | HandedDelivery } {
    const isBlocked = orderKey !== null && orderKeys.isTaken(destination.id, orderKey)
    const waitMs = destination.schedule?.[0] ?? firstWaitMs
    const isReady = handedSlots > 0 && !isBlocked && waitMs === 0 && isReachable(destination)
    const leaseMs = isReady ? handOver.take(destination.id, handedSlots) : null
    if (leaseMs !== null) {
      const leaseUntil = at + leaseMs
      const id = rows.insertHanded(position, destination.id, at, leaseUntil, orderKey)
      const hasOrderKey = orderKey !== null
      return { id, state: { deliveryId: id, destinationId: destination.id, hasOrderKey, leaseUntil } }
    }
    if (isBlocked) return { id: rows.insertBlocked(position, destination.id, at, orderKey), state: 'blocked' }
    handOver.waits(destination.id)
    return { id: rows.insertDue(position, destination.id, at, at + waitMs, orderKey), state: 'due' }
  }

  return function insertDeliveries(
    { environment, authentication }: { environment: Realm; authentication: EventAuthentication },
    position: number,
    fact: Fact,
    targets: DeliveryTargets,
  ): NewDeliveries {
    const made: NewDeliveries = { destinationIds: [], handed: [], blocked: 0, first: null, last: null }
    const event = { kind: fact.kind, environment, subject: fact.subject, authentication }
    const route = fact.references === undefined ? null : routes.routeOf(environment, fact.references)
    for (const destination of targets.destinations) {
      if (!isWanted(destination, event, route)) continue
      const orderKey = orderKeyOf(destination, { environment, subject: fact.subject })
      const { id, state } = insertDelivery(position, destination, orderKey, targets)
      made.first ??= id
      made.last = id
      if (state === 'blocked') made.blocked++
      else if (state === 'due') made.destinationIds.push(destination.id)
      else made.handed.push(state)
    }
    return made
  }
}

/** As far as the writer knows. The destination's worker may know more. */
function isReachable({ state, circuitOpenedAt }: Destination): boolean {
  return state === 'active' && circuitOpenedAt === null
}
