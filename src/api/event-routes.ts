import { type Response, Router } from 'express'
import { PortariaError } from '../domain/errors.ts'
import type { EventHub } from '../domain/event-hub.ts'
import { cursorAfter } from '../domain/public-id.ts'
import type { StoreReader } from '../domain/store.ts'
import { eventQuery } from './event-operations.ts'
import { firstPage, fitAnswer } from './event-page.ts'
import { attemptView, deliveryView, eventText, evidenceView } from './event-text.ts'
import { MAX_LIMIT, readQuery } from './query.ts'
import { eventFilterFor, type StoreFor } from './store-view.ts'
import type { WaitingRoom } from './waiting-room.ts'

/** How requests wait for events. */
export interface PollingOptions {
  readonly hub: Pick<EventHub, 'watch'>
  readonly waiting: Pick<WaitingRoom, 'hold' | 'call'>
}

/** `GET /v1/events` and what belongs to one event. */
export function eventRoutes({ storeFor, hub, waiting }: PollingOptions & { readonly storeFor: StoreFor }): Router {
  const router = Router()

  router.get('/v1/events', async function listEvents(request, response) {
    const { limit, after: place, kind: kinds, wait, ...others } = readQuery(request.url, eventQuery)
    const store = storeFor(request)
    const filter = eventFilterFor(request, dropUndefined({ kinds, ...others }))
    const waitMs = request.method === 'HEAD' ? 0 : wait * 1000
    const page = await waiting.hold(response, { waitMs, name: null }, async (waiter) => {
      const endWatch = hub.watch(filter, waiter.wake)
      try {
        const after = place === 'latest' ? await store.latestPosition() : (place ?? 0)
        return await firstPage((behind) => store.listEvents({ ...filter, after: behind }, limit), after, waiter)
      } finally {
        endWatch()
      }
    })
    const { texts, next, more } = fitAnswer(page)
    sendJson(response, `{"data":[${texts.join(',')}],"next":"${cursorAfter(next)}","more":${more}}`)
  })

  router.get('/v1/events/:id', async function showEvent(request, response) {
    const store = storeFor(request)
    const { event, evidence } = await findEvent(store, request.params.id)
    const deliveries = await store.listDeliveries({ position: event.position }, MAX_LIMIT)
    const rest = JSON.stringify({ evidence: evidenceView(evidence), deliveries: deliveries.map(deliveryView) })
    sendJson(response, `${eventText(event).slice(0, -1)},${rest.slice(1)}`)
  })

  router.get('/v1/events/:id/original', async function showOriginal(request, response) {
    const { evidence } = await findEvent(storeFor(request), request.params.id)
    // A stored body may be anything, a page of HTML too: it is handed out as a file and never shown as one of ours.
    response.setHeader('content-disposition', 'attachment')
    response.setHeader('content-security-policy', "default-src 'none'; sandbox")
    response.setHeader('content-type', safeType(evidence.contentType))
    // Said for HEAD, too, where Node leaves it out.
    response.setHeader('content-length', evidence.body.length)
    response.end(Buffer.from(evidence.body))
  })

  router.get('/v1/events/:id/deliveries', async function showDeliveries(request, response) {
    const store = storeFor(request)
    const { event } = await findEvent(store, request.params.id)
    const deliveries = await store.listDeliveries({ position: event.position }, MAX_LIMIT)
    const data = await Promise.all(
      deliveries.map(async (delivery) => ({
        ...deliveryView(delivery),
        tries: (await store.listAttempts(delivery.deliveryId, MAX_LIMIT)).map(attemptView),
      })),
    )
    sendJson(response, JSON.stringify({ data }))
  })

  return router
}

/** @throws PortariaError `not_found` */
export async function findEvent(store: StoreReader, id: string) {
  const found = await store.getEvent(id)
  if (found === null) throw new PortariaError('not_found', `there is no event ${id.slice(0, 64)}`)
  return found
}

export function sendJson(response: Response, text: string): void {
  response.type('application/json').send(text)
}

export function dropUndefined<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}

function safeType(contentType: string | null): string {
  return contentType !== null && /^[\x20-\x7e]{1,200}$/.test(contentType) ? contentType : 'application/octet-stream'
}
