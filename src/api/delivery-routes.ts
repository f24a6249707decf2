import { Router } from 'express'
import { numberedId, parseNumberedId } from '../domain/public-id.ts'
import type { StoreReader } from '../domain/store.ts'
import { findDestination } from './destination-routes.ts'
import { dropUndefined, sendJson } from './event-routes.ts'
import { deliveryView } from './event-text.ts'
import { QueryReader } from './query.ts'

/** `GET /v1/deliveries`, oldest first, by key. */
export function deliveryRoutes(store: StoreReader): Router {
  const router = Router()
  router.get('/v1/deliveries', async function listDeliveries(request, response) {
    const query = new QueryReader(request.url, ['state', 'destination', 'after', 'limit'])
    const limit = query.limit()
    const destination = query.text('destination')
    const wanted = dropUndefined({ state: query.deliveryState('state'), after: readPlace(query) })
    query.done()
    const filter = destination === undefined ? wanted : { ...wanted, destinationId: await idOf(store, destination) }
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

function readPlace(query: QueryReader): number | undefined {
  const text = query.text('after')
  if (text === undefined) return undefined
  const id = parseNumberedId('dlv', text)
  if (id === null) query.reject('after: an id such as dlv_1')
  return id ?? undefined
}

/** Of one that was removed too: its deliveries are still there. */
async function idOf(store: StoreReader, destination: string): Promise<number> {
  return (await findDestination(store, destination, { removed: true })).id
}
