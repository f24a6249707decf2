import { Router } from 'express'
import { numberedId, parseNumberedId } from '../domain/public-id.ts'
import type { StoreReader } from '../domain/store.ts'
import { dropUndefined, sendJson } from './event-routes.ts'
import { deliveryView } from './event-text.ts'
import { QueryReader } from './query.ts'

/** `GET /v1/deliveries`, oldest first, by key. */
export function deliveryRoutes(store: StoreReader): Router {
  const router = Router()
  router.get('/v1/deliveries', async function listDeliveries(request, response) {
    const query = new QueryReader(request.url, ['state', 'destination', 'after', 'limit'])
    const limit = query.limit()
    const filter = dropUndefined({
      state: query.deliveryState('state'),
      destinationId: readId(query, 'destination', 'dst'),
      after: readId(query, 'after', 'dlv'),
    })
    query.done()
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

function readId(query: QueryReader, name: string, prefix: 'dst' | 'dlv'): number | undefined {
  const text = query.text(name)
  if (text === undefined) return undefined
  const id = parseNumberedId(prefix, text)
  if (id === null) query.reject(`${name}: an id such as ${prefix}_1`)
  return id ?? undefined
}
