import type { Destination } from '../../domain/destination.ts'
import { numberedId } from '../../domain/public-id.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { hostIn } from '../audit/details.ts'
import { urlFor } from '../auth/shown-urls.ts'
import { ownerOf } from '../auth/store-scope.ts'
import { findDestination } from '../deliveries/destination-lookup.ts'
import { type Call, segmentOf } from '../http/endpoint.ts'
import type { DestinationEndpointsOptions } from './options.ts'
import { destinationView } from './view.ts'

export function find(call: Call, store: StoreReader): Promise<Destination> {
  return findDestination(store, segmentOf(call, 'id'), { owner: ownerOf(call) })
}

export function viewFor(call: Call, destination: Destination) {
  return destinationView(destination, urlFor(call, destination))
}

export const OPERATOR = 'operator'

/** Empty: there is no such destination, which the endpoint says. */
export async function aboutDestination(call: Call, { storeFor }: Pick<DestinationEndpointsOptions, 'storeFor'>) {
  const destination = await find(call, storeFor(call)).catch(() => null)
  if (destination === null) return {}
  const { id, name, url, owner } = destination
  return { destination: numberedId('dst', id), name, host: hostIn(url), owner: owner ?? OPERATOR }
}

/** Applies a change before the request is answered. */
export async function applied(
  changing: Promise<Destination>,
  { onChanged }: DestinationEndpointsOptions,
): Promise<Destination> {
  const destination = await changing
  await onChanged()
  return destination
}
