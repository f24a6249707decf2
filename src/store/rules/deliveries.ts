/** What both stores check before a delivery is retried, skipped or replayed, and how a claim divides its places. */

import type { ClaimRequest, DeliveryState } from '../../domain/delivery.ts'
import type { Destination } from '../../domain/destination.ts'
import { numberedId } from '../../domain/public-id.ts'
import type { Realm } from '../../domain/realm.ts'
import { PortariaError } from '../../platform/errors.ts'
import { orderKeyOf } from '../storing/order-key.ts'

/** A delivery with the fields of its event that requeueing needs. */
export interface StoredDelivery {
  readonly id: number
  readonly event_id: number
  readonly destination_id: number
  readonly state: DeliveryState
  readonly order_key: number | null
  readonly environment: Realm
  readonly subject: string | null
  readonly payload_removed_at: number | null
}

export type RequeuedEvent = Pick<StoredDelivery, 'environment' | 'subject' | 'payload_removed_at'> & {
  readonly id: number
}

/** @throws PortariaError `not_found` */
export function knownDelivery(id: number, row: StoredDelivery | undefined): StoredDelivery {
  if (row === undefined) throw new PortariaError('not_found', `there is no delivery ${numberedId('dlv', id)}`)
  return row
}

/** @throws PortariaError `not_found` */
export function knownEvent(id: string, row: RequeuedEvent | undefined): RequeuedEvent {
  if (row === undefined) throw new PortariaError('not_found', `there is no event ${id.slice(0, 64)}`)
  return row
}

/** @throws PortariaError `conflict` */
export function refuseRetry({ id, state }: StoredDelivery): void {
  if (state !== 'blocked') return
  throw new PortariaError(
    'conflict',
    `${numberedId('dlv', id)} waits for another delivery of its subject: retry or skip that one`,
  )
}

/** @throws PortariaError `conflict` */
export function refuseSkip({ id, state, order_key: orderKey }: StoredDelivery): void {
  const isHolding = state === 'exhausted' && orderKey !== null
  if (state === 'pending' || state === 'blocked' || isHolding) return
  throw new PortariaError('conflict', `${numberedId('dlv', id)} is ${state} already: there is nothing to skip`)
}

/** The destinations to which an event is sent again. @throws PortariaError `conflict` where none is left */
export function replayTargets(
  deliveries: readonly StoredDelivery[],
  destinationId: number | null,
  destinations: readonly Destination[],
): number[] {
  const isPresent = (id: number) => destinations.some((one) => one.id === id)
  const wanted = deliveries.map((row) => row.destination_id).filter(isPresent)
  const targets = destinationId === null ? wanted : [destinationId]
  if (targets.length > 0) return targets
  throw new PortariaError(
    'conflict',
    'the event has no delivery to a destination that still exists: name one with --destination',
  )
}

/** @throws PortariaError `conflict` for an event without data, or a destination that was removed */
export function requeuedOrderKey(
  destinationId: number,
  event: Omit<RequeuedEvent, 'id'>,
  destinations: readonly Destination[],
): number | null {
  const { payload_removed_at: removedAt } = event
  if (removedAt !== null) {
    throw new PortariaError(
      'conflict',
      `the data of this event was removed on ${new Date(removedAt).toISOString()}, by retention or a redaction: there is nothing left to deliver`,
    )
  }
  const destination = destinations.find((one) => one.id === destinationId)
  if (destination === undefined) {
    throw new PortariaError(
      'conflict',
      `the destination ${numberedId('dst', destinationId)} was removed: events replay --destination sends the event to another one`,
    )
  }
  return orderKeyOf(destination, event)
}

/** After the clock was set back, no delivery must fall between fresh and backlog. */
export function freshSinceOf({ freshSince, now }: ClaimRequest): number {
  return Math.min(freshSince, now + 1)
}

/** Fresh deliveries come first, except for the backlog's reserved places. @param fresh how many are due */
export function placesOfBacklog({ limit, backlogLimit, backlogShare = 0 }: ClaimRequest, fresh: number): number {
  const most = Math.max(limit - fresh, Math.min(backlogShare, limit))
  return Math.max(0, Math.min(most, backlogLimit))
}

/** When the next delivery of each sort is due; null: none waits. */
export interface NextDue {
  readonly fresh: number | null
  /** Fresh or backlog. */
  readonly live: number | null
  readonly replay: number | null
}

/** What a claim has left: when the next fresh delivery is due, and whether there is a backlog. */
export function leftOf({ fresh, live, replay }: NextDue, now: number, freshSince: number) {
  const isReplayDue = replay !== null && replay <= now
  const times = [fresh, isReplayDue ? null : replay].filter((at) => at !== null)
  return {
    nextDueAt: times.length === 0 ? null : Math.min(...times),
    hasBacklog: isReplayDue || (live ?? freshSince) < freshSince,
  }
}
