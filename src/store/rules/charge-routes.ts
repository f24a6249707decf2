import { type ChargeRoute, isHeldByAnother, type NewChargeRoute } from '../../domain/service/charge-route.ts'
import { PortariaError } from '../../platform/errors.ts'

/** @param isOwnerRevoked of the route's owner @throws PortariaError `conflict` */
export function refuseRouteOfAnother(
  previous: ChargeRoute,
  {
    owner,
    now,
    isOwnerRevoked,
  }: { readonly owner: string | null; readonly now: number; readonly isOwnerRevoked: boolean },
): void {
  if (!isHeldByAnother(previous, owner, now) || isOwnerRevoked) return
  throw new PortariaError(
    'conflict',
    `another app receives the notifications of this ${previous.resource}: it must end that first`,
  )
}

/** @param previous of the same charge; null: none */
export function openedRoute(
  { settings, owner, environment, resource, resourceId }: NewChargeRoute,
  previous: ChargeRoute | null,
  { destinationId, now }: { readonly destinationId: number; readonly now: number },
): ChargeRoute {
  return {
    environment,
    resource,
    resourceId,
    owner,
    url: settings.url,
    destinationId,
    // The service keeps the gateway's address for the whole time.
    isConfirmed: previous !== null && previous.owner === owner && previous.isConfirmed,
    // Tells two changes in one millisecond apart.
    changedAt: Math.max(now, (previous?.changedAt ?? 0) + 1),
  }
}
