/** What both stores check before they change a destination. Names are unique per owner, so a conflict does not reveal other owners' names. */

import {
  DESTINATION_LIMIT,
  DESTINATIONS_PER_OWNER,
  type Destination,
  type DestinationSettings,
  type DestinationState,
  isPausedForCertificate,
} from '../../domain/destination.ts'
import { type DestinationChanges, withChanges } from '../../domain/destination-changes.ts'
import { isSameRegistration } from '../../domain/registration.ts'
import { isSameRouteTarget } from '../../domain/service/charge-route.ts'
import { PortariaError } from '../../platform/errors.ts'

/** The most deliveries that a change of `order` may update while other calls wait. */
export const REORDERED_AT_ONCE = 50_000

/** @throws PortariaError `not_found` */
export function knownDestination(id: number, found: Destination | undefined): Destination {
  if (found === undefined || found.state === 'deleted')
    throw new PortariaError('not_found', `there is no destination dst_${id}`)
  return found
}

/** @throws PortariaError `conflict` for a destination of the configuration file */
export function refuseConfigured({ name, origin }: Destination): void {
  if (origin !== 'configuration') return
  throw new PortariaError(
    'conflict',
    `${name} comes from the configuration file: change it there and reload the gateway (SIGHUP)`,
  )
}

/** @throws PortariaError `conflict` */
export function refuseTakenName(name: string, named: unknown): void {
  if (named === undefined) return
  throw new PortariaError(
    'conflict',
    `there is a destination named ${name} already: choose another name, or delete it first`,
  )
}

/** @param own those of the owner; null: of the operator, who may have all of them @throws PortariaError `conflict` */
export function refuseMoreDestinations(count: number, own: number | null): void {
  if (count >= DESTINATION_LIMIT) {
    throw new PortariaError(
      'conflict',
      `there are ${DESTINATION_LIMIT} destinations already, and no more are allowed: delete some first`,
    )
  }
  if (own !== null && own >= DESTINATIONS_PER_OWNER) {
    throw new PortariaError(
      'conflict',
      `the client has ${DESTINATIONS_PER_OWNER} destinations already, and no more are allowed: delete some first`,
    )
  }
}

/** @throws PortariaError `conflict` */
export function refuseReordering(name: string): never {
  throw new PortariaError(
    'conflict',
    [
      `more than ${REORDERED_AT_ONCE} deliveries wait for ${name}, and callbacks would wait while their order is changed:`,
      'change it when fewer wait; for a destination of the configuration file, a restart changes it, too',
    ].join(' '),
  )
}

/** The state of a destination that the configuration file names. @throws PortariaError `conflict` for one that a command made */
export function configuredState({ id, name, origin, state, pauseReason: reason }: Destination): DestinationState {
  if (origin !== 'configuration') {
    throw new PortariaError(
      'conflict',
      `the destination ${name} of the configuration file exists already, made by a command: rename one of them, or delete dst_${id}`,
    )
  }
  if (state !== 'retired') return state
  return reason === null ? 'active' : 'paused'
}

/** What of a destination's order a change of its settings affects. */
export function orderChange(
  before: DestinationSettings,
  after: DestinationSettings,
): 'enable' | 'disable' | 'release exhausted' | null {
  if (before.order === 'none' && after.order === 'subject') return 'enable'
  if (before.order === 'subject' && after.order === 'none') return 'disable'
  return before.onExhausted === 'hold' && after.onExhausted === 'continue' ? 'release exhausted' : null
}

/** @throws PortariaError `conflict` for the URL or kinds of a registration, or of a route */
export function changedSettings(before: Destination, changes: DestinationChanges): DestinationSettings {
  const after = withChanges(before, changes)
  if (before.origin === 'registration' && !isSameRegistration(before, after)) {
    throw new PortariaError(
      'conflict',
      `${before.name} is a registration: its URL and kinds are changed by registering the other URL, and deleting this one`,
    )
  }
  if (before.origin === 'route' && !isSameRouteTarget(before, after)) {
    throw new PortariaError(
      'conflict',
      `${before.name} is the notification_url of charges, and gets their notifications only: its URL and filters (kinds, environments, institutions, subjects, authentication) cannot be changed; the app sets another notification_url for each charge`,
    )
  }
  return after
}

/** @throws PortariaError `conflict` */
export function refuseSameSecret({ name, secrets }: Destination, secret: string): void {
  if (secrets[0] === secret)
    throw new PortariaError('conflict', `${name} signs with that secret already: give it another one`)
}

/** The reason on record of a destination that is paused now. @throws PortariaError `conflict` */
export function reasonOfPause(destination: Destination, reason: string): string {
  if (destination.state === 'retired')
    throw new PortariaError('conflict', `${destination.name} left the configuration file: it cannot be paused`)
  const known = isPausedForCertificate(destination) ? null : destination.pauseReason
  return known ?? reason
}

/** @throws PortariaError `conflict` */
export function refuseResuming({ name, state }: Destination): void {
  if (state === 'retired') throw new PortariaError('conflict', `${name} left the configuration file: put it back there`)
}

/** @throws PortariaError `conflict` */
export function refuseRemoval({ name, origin }: Destination): void {
  if (origin !== 'configuration') return
  throw new PortariaError(
    'conflict',
    `${name} comes from the configuration file: remove it there and reload the gateway (SIGHUP); pause it meanwhile`,
  )
}
