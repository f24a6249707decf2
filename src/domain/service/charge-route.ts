import { type Destination, type DestinationSettings, type FilteredEvent, isSubscribed } from '../destination.ts'
import type { Realm } from '../realm.ts'
import { isSameUrl } from '../registration.ts'

export const CHARGE_RESOURCES = ['charge', 'subscription'] as const
export type ChargeResource = (typeof CHARGE_RESOURCES)[number]

/** A charge or subscription at the service. */
export interface ChargeKey {
  readonly environment: Realm
  readonly resource: ChargeResource
  /** Digits. */
  readonly resourceId: string
}

/** The app that wants the notifications of a charge or subscription: it gave its own `notification_url` to the gateway. */
export interface ChargeRoute extends ChargeKey {
  /** The client's id; null: the operator. */
  readonly owner: string | null
  /** The app's `notification_url`. */
  readonly url: string
  /** The destination that sends to it: origin `route`. It gets only what a route leads to it. */
  readonly destinationId: number
  /** False: the service has not confirmed the gateway's address yet. Notifications follow the route nevertheless, because the service may have taken it. */
  readonly isConfirmed: boolean
  readonly changedAt: number
}

export interface NewChargeRoute extends ChargeKey {
  readonly owner: string | null
  /** Settings of the destination, in case the owner has none of origin `route` with this URL. */
  readonly settings: DestinationSettings
}

export interface OpenedRoute {
  readonly route: ChargeRoute
  /** The route of this charge before; null: none. For `restoreChargeRoute`. */
  readonly previous: ChargeRoute | null
  readonly destination: Destination
  readonly isNewDestination: boolean
}

export interface ChargeRouteReads {
  getChargeRoute(key: ChargeKey): Promise<ChargeRoute | null>
}

export interface ChargeRouteWrites {
  /**
   * Routes the notifications of a charge or subscription to an app, before the service is asked for its part, so that no notification in between is lost.
   * An unconfirmed route of another owner that is older than an hour is replaced, and so is the route of a revoked client.
   * @throws PortariaError `conflict` for one that another owner routes, and as `createDestination`
   */
  openChargeRoute(route: NewChargeRoute, now: number): Promise<OpenedRoute>
  /** The service has confirmed the gateway's address. */
  confirmChargeRoute(key: ChargeKey, owner: string | null, now: number): Promise<void>
  /** The service has refused: restores `previous`, or removes the route. Does nothing if the route has changed since it was opened. */
  restoreChargeRoute(opened: ChargeRoute, previous: ChargeRoute | null): Promise<void>
  /** Ends a route of this owner. Returns whether there was one. */
  deleteChargeRoute(key: ChargeKey, owner: string | null): Promise<boolean>
}

/** Whether a change leaves the members of a routed destination alone that have no effect (its filters) or belong to the app (its URL). */
export function isSameRouteTarget(before: RouteTarget, after: RouteTarget): boolean {
  const filtersOf = ({ kinds, environments, subjects, authentication }: RouteTarget) =>
    JSON.stringify([kinds, environments, subjects, authentication])
  return isSameUrl(before.url, after.url) && filtersOf(before) === filtersOf(after)
}
type RouteTarget = Pick<DestinationSettings, 'url' | 'kinds' | 'environments' | 'subjects' | 'authentication'>

/**
 * Whether a destination gets an event. A routed one goes to the destination of its route; of the other destinations, only those of the operator and of
 * the route's owner get it by their subscriptions.
 * @param route null: the event is not routed
 */
export function isWanted(
  destination: Destination,
  event: FilteredEvent,
  route: Pick<ChargeRoute, 'destinationId' | 'owner'> | null,
): boolean {
  if (route === null) return isSubscribed(destination, event)
  if (destination.id === route.destinationId) return true
  return (destination.owner === null || destination.owner === route.owner) && isSubscribed(destination, event)
}

/** An app whose request was lost may have left its route behind. */
const UNCONFIRMED_FOR_MS = 3_600_000

/** Whether another owner's route keeps the charge from this owner; one that was never confirmed does so for an hour. */
export function isHeldByAnother(route: ChargeRoute, owner: string | null, now: number): boolean {
  return route.owner !== owner && (route.isConfirmed || route.changedAt >= now - UNCONFIRMED_FOR_MS)
}
