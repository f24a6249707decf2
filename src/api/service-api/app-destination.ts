import { type Caller, principalOf } from '../../domain/client.ts'
import { DESTINATION_DEFAULTS, type Destination, type DestinationSettings } from '../../domain/destination.ts'
import { PortariaError } from '../../platform/errors.ts'
import type { DestinationEndpointsOptions } from '../destinations/options.ts'

/** The owner of a new destination, and the client's environment. */
export function ownershipOf(caller: Caller): Pick<Destination, 'owner' | 'environments'> {
  const principal = principalOf(caller)
  if (principal.kind === 'operator') return { owner: null, environments: null }
  return { owner: principal.id, environments: principal.environment === 'any' ? null : [principal.environment] }
}

/** Settings of a destination that an app makes through the service's contract, which has no words for the others. */
export function appDestination(
  own: Pick<DestinationSettings, 'name' | 'url' | 'kinds' | 'environments'>,
  { defaults, newSecret }: Pick<DestinationEndpointsOptions, 'defaults' | 'newSecret'>,
): DestinationSettings {
  const { timeoutMs, concurrency } = defaults
  return { ...DESTINATION_DEFAULTS, ...own, secrets: [newSecret()], timeoutMs, concurrency, headers: [] }
}

/** Why no destination may have this URL; null: it may. @throws what else `check` throws */
export async function refusalOfUrl(
  url: string,
  check: DestinationEndpointsOptions['checkUrl'],
): Promise<PortariaError | null> {
  try {
    await check(url)
    return null
  } catch (error) {
    const isRefused =
      error instanceof PortariaError && (error.code === 'address_forbidden' || error.code === 'request_invalid')
    if (isRefused) return error
    throw error
  }
}
