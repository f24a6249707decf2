import { Router } from 'express'
import { numberedId } from '../../domain/public-id.ts'
import type { StoreReader } from '../../domain/store.ts'
import { ownerOf } from '../auth/store-scope.ts'
import { findDestination } from '../destinations/destination-routes.ts'
import { deliveryView } from '../events/serializer.ts'
import { dropUndefined, sendJson } from '../http/answer.ts'
import { readQuery } from '../http/query.ts'
import { deliveryQuery } from './delivery-operations.ts'

/** `GET /v1/deliveries`, oldest first, by key. */
export function deliveryRoutes(store: StoreReader): Router {
  const router = Router()
  router.get('/v1/deliveries', async function listDeliveries(request, response) {
    const { limit, destination, ...others } = readQuery(request.url, deliveryQuery)
    const wanted = dropUndefined(others)
    const filter =
      destination === undefined
        ? wanted
        : { ...wanted, destinationId: await idOf(store, destination, ownerOf(request)) }
    const deliveries = await store.listDeliveries(filter, limit + 1)
    const more = deliveries.length > limit
    const data = deliveries.slice(0, limit)
    // A page without any leaves a poller where it is.
    const last = data.at(-1)?.deliveryId ?? filter.after
    const next = last === undefined ? null : numberedId('dlv', last)
    sendJson(response, JSON.stringify({ data: data.map(deliveryView), next, more }))
  })
  return router
}

/** Of one that was removed too: its deliveries are still there. */
async function idOf(store: StoreReader, destination: string, owner: string | null): Promise<number> {
  return (await findDestination(store, destination, { removed: true, owner })).id
}
