import type { Caller } from '../../domain/client.ts'
import { numberedId } from '../../domain/public-id.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'
import { ownerOf, sendsAgain } from '../auth/store-scope.ts'
import { findDestination } from '../deliveries/destination-lookup.ts'
import { MAX_LIMIT } from '../http/query.ts'
import { findEvent } from './lookup.ts'

/**
 * The destination to which a caller sends an event. With `support.replay` it may be somebody else's, if it has a delivery of the event.
 * @throws PortariaError `not_found`; `request_invalid` for a name that several destinations have
 */
export async function targetOf(
  caller: Caller,
  store: StoreReader,
  { eventId, idOrName }: { readonly eventId: string; readonly idOrName: string },
): Promise<number> {
  const owner = ownerOf(caller)
  if (!sendsAgain(caller)) return (await findDestination(store, idOrName, { owner })).id
  const { position } = (await findEvent(store, eventId)).event
  const deliveries = await store.listDeliveries({ position }, MAX_LIMIT)
  const isMeant = (id: number, name: string) => [numberedId('dst', id), name].includes(idOrName)
  const own = (await store.listDestinations()).find(({ id, name }) => isMeant(id, name))
  if (own !== undefined) return own.id
  const had = deliveries.filter((one) => isMeant(one.destinationId, one.destinationName))
  const [first, ...others] = had.map(({ destinationId }) => destinationId)
  if (first === undefined)
    throw new PortariaError(
      'not_found',
      say`the event has no delivery to a destination ${{ id: idOrName.slice(0, 64) }}: GET /v1/events/${{ eventId }}/deliveries shows all`,
    )
  if (others.length === 0) return first
  const ids = [first, ...others].map((id) => numberedId('dst', id)).join(', ')
  throw new PortariaError(
    'request_invalid',
    say`several destinations have the name ${{ name: idOrName }}: use the id (${{ names: ids }})`,
  )
}
