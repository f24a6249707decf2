import { type ConsumerKey, problemOfConsumerName } from '../../domain/consumer.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { ownerOf, restrictedClient } from '../auth/store-scope.ts'
import { findClient } from '../clients/registry.ts'
import { type Call, segmentOf } from '../http/endpoint.ts'

const OPERATOR = 'operator'

/** The principal's own consumer, which need not exist. @throws PortariaError `request_invalid` for an invalid name */
export function ownConsumerKey(call: Call): ConsumerKey {
  return { owner: ownerOf(call), name: requireName(segmentOf(call, 'name')) }
}

/**
 * The consumer that the path and `owner` name.
 * @throws PortariaError `request_invalid` for an invalid name; `not_found` for one that the principal may not see, and as `consumerKeyOf`
 */
export async function namedConsumerKey(
  call: Call<{ readonly owner?: string | undefined }>,
  store: Pick<StoreReader, 'listClients'>,
): Promise<ConsumerKey> {
  const { owner } = call.query
  const own = ownConsumerKey(call)
  if (owner === undefined || owner === own.owner) return own
  if (restrictedClient(call) !== null) throw consumerNotFound(own.name)
  return consumerKeyOf(store, own.name, owner)
}

/**
 * The consumer of this owner.
 * @param owner `operator`, or a client by name or id
 * @throws PortariaError `request_invalid` for an invalid name, `not_found` for an unknown client
 */
export async function consumerKeyOf(
  store: Pick<StoreReader, 'listClients'>,
  name: string,
  owner = OPERATOR,
): Promise<ConsumerKey> {
  requireName(name)
  if (owner === OPERATOR) return { owner: null, name }
  return { owner: findClient(await store.listClients({ revoked: true }), owner).id, name }
}

function requireName(name: string): string {
  const problem = problemOfConsumerName(name)
  if (problem !== null) throw new PortariaError('request_invalid', say`the name of a consumer ${{ problem }}`)
  return name
}

export function consumerNotFound(name: string): PortariaError {
  return new PortariaError('not_found', say`there is no consumer ${{ id: name.slice(0, 64) }}`)
}

/** The name under which requests that wait for this consumer are registered. */
export function pollNameOf({ owner, name }: ConsumerKey): string {
  return JSON.stringify(['consumer', owner, name])
}
