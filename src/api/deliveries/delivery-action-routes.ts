import { Router } from 'express'
import { numberedId, requireDeliveryId } from '../../domain/public-id.ts'
import type { Store } from '../../domain/store.ts'
import { ownerOf, type StoreFor } from '../auth/store-scope.ts'
import { findDestination } from '../destinations/destination-routes.ts'
import { eventReplayQuery } from '../events/event-operations.ts'
import { sendJson } from '../http/answer.ts'
import { readQuery } from '../http/query.ts'

export interface DeliveryActionOptions {
  readonly store: Store
  readonly now: () => number
  /** These destinations have something to be sent now. */
  readonly wake: (destinationIds: readonly number[]) => void
  /** What of these is claimed and not begun is not sent. */
  readonly drop: (deliveryIds: readonly number[]) => void
}

/** What an operator does to single deliveries and events. */
export function deliveryActionRoutes(options: DeliveryActionOptions & { readonly storeFor: StoreFor }): Router {
  const { store, storeFor, now, wake, drop } = options
  const router = Router()

  router.post('/v1/deliveries/:id/retry', async function retryDelivery(request, response) {
    const id = requireDeliveryId(request.params.id)
    const { destinationId, isBlocked } = await store.retryDelivery(id, now())
    wake([destinationId])
    const waitsFor = isBlocked ? 'another delivery of its subject' : await whatItWaitsFor(store, destinationId)
    sendJson(response, JSON.stringify({ retried: numberedId('dlv', id), waitsFor }))
  })

  router.post('/v1/deliveries/:id/skip', async function skipDelivery(request, response) {
    const id = requireDeliveryId(request.params.id)
    const { destinationId } = await store.skipDelivery(id, now())
    drop([id])
    wake([destinationId])
    sendJson(response, JSON.stringify({ skipped: numberedId('dlv', id) }))
  })

  router.post('/v1/events/:id/replay', async function replayEvent(request, response) {
    const { destination: name } = readQuery(request.url, eventReplayQuery)
    const own = storeFor(request)
    const destination = name === undefined ? null : await findDestination(own, name, { owner: ownerOf(request) })
    const replayed = await own.replayEvent(request.params.id, destination?.id ?? null, now())
    wake(replayed.destinationIds)
    const numbered = (ids: readonly number[]) => ids.map((id) => numberedId('dlv', id))
    const deliveries = numbered(replayed.deliveryIds)
    sendJson(response, JSON.stringify({ event: request.params.id, deliveries, waiting: numbered(replayed.leftIds) }))
  })

  return router
}

/** In words; null: nothing stands in its way. */
async function whatItWaitsFor(store: Store, destinationId: number): Promise<string | null> {
  const destination = (await store.listDestinations()).find(({ id }) => id === destinationId)
  if (destination?.state === 'paused') return `${destination.name}, which is paused`
  if (destination?.circuitOpenedAt != null)
    return `${destination.name}, which is away: one delivery at a time finds out`
  return null
}
