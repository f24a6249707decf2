import { Router } from 'express'
import type { EventBus } from '../../domain/event-bus.ts'
import type { Evidence } from '../../domain/event-record.ts'
import type { Cursor } from '../../domain/public-id.ts'
import type { StoreReader } from '../../domain/store.ts'
import { invalidRequest, PortariaError } from '../../platform/errors.ts'
import { iso } from '../../platform/time.ts'
import { clientOf } from '../auth/authentication.ts'
import { eventFilterFor, type StoreFor } from '../auth/store-scope.ts'
import { dropUndefined, sendJson } from '../http/answer.ts'
import { MAX_LIMIT, readQuery } from '../http/query.ts'
import { eventQuery, ORIGINAL_HEADERS } from './event-operations.ts'
import { BEGINS, gapAwarePages } from './gap-aware-pages.ts'
import type { LongPollRegistry } from './long-polls.ts'
import { firstPage, fitAnswer } from './page.ts'
import { attemptView, deliveryView, eventText, evidenceView } from './serializer.ts'

/** How requests wait for events. */
export interface PollingOptions {
  readonly bus: Pick<EventBus, 'subscribe'>
  readonly waiting: Pick<LongPollRegistry, 'wait' | 'notify'>
}

/** `GET /v1/events` and what belongs to one event. */
export function eventRoutes({ storeFor, bus, waiting }: PollingOptions & { readonly storeFor: StoreFor }): Router {
  const router = Router()

  router.get('/v1/events', async function listEvents(request, response) {
    const { limit, after: place, kind: kinds, wait, ...others } = readQuery(request.url, eventQuery)
    const store = storeFor(request)
    const filter = eventFilterFor(request, dropUndefined({ kinds, ...others }))
    const waitMs = request.method === 'HEAD' ? 0 : wait * 1000
    const gapsReportedAt = typeof place === 'object' ? place.gapsReportedAt : BEGINS
    const pages = gapAwarePages(store, { filter, limit }, { gapsReportedAt, words: GONE })
    const held = { waitMs, name: null, client: clientOf(request) }
    const page = await waiting.wait(response, held, async (waiter) => {
      const endWatch = bus.subscribe(filter, waiter.wake)
      try {
        return await firstPage(pages.read, await positionOf(store, place), waiter)
      } finally {
        endWatch()
      }
    })
    const fitted = fitAnswer(page)
    const { texts, more } = fitted
    sendJson(response, `{"data":[${texts.join(',')}],"next":"${pages.cursorBehind(fitted)}","more":${more}}`)
  })

  router.get('/v1/events/:id', async function showEvent(request, response) {
    const store = storeFor(request)
    const { event, evidence, hashes } = await findEvent(store, request.params.id)
    const deliveries = await store.listDeliveries({ position: event.position }, MAX_LIMIT)
    const rest = JSON.stringify({ evidence: evidenceView(evidence), hashes, deliveries: deliveries.map(deliveryView) })
    sendJson(response, `${eventText(event).slice(0, -1)},${rest.slice(1)}`)
  })

  router.get('/v1/events/:id/original', async function showOriginal(request, response) {
    const { evidence } = await findEvent(storeFor(request), request.params.id)
    requireBody(evidence)
    // A stored body may be anything, a page of HTML too: it is handed out as a file and never shown as one of ours.
    for (const [name, { schema }] of Object.entries(ORIGINAL_HEADERS)) response.setHeader(name, schema.const)
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

const GONE =
  'events behind this cursor are gone before they were read (retention removed them, or a backup was restored): go on with "next" of this answer, which misses nothing that is still there'

/** @throws PortariaError `gone`: what came is not there any more, or not whole */
export function requireBody({ bodyRemovedAt }: Pick<Evidence, 'bodyRemovedAt'>): void {
  if (bodyRemovedAt === null) return
  throw new PortariaError(
    'gone',
    `what came is not kept any more as it came: data was removed from it on ${iso(bodyRemovedAt)}, by retention or a redaction; GET /v1/events/:id ("portaria events show") shows what is left`,
  )
}

/** @throws PortariaError `request_invalid` for a cursor that this database never gave: it would pass over what is still to come */
async function positionOf(store: StoreReader, place: Cursor | 'latest' | undefined): Promise<number> {
  if (place === undefined) return 0
  const latest = await store.latestPosition()
  if (place === 'latest') return latest
  if (place.position > latest) throw invalidRequest('the query is wrong', [{ parameter: 'after', words: AHEAD }])
  return place.position
}

const AHEAD =
  'is behind all events, so it is the cursor of another database: begin without after, and deduplicate by id, or with after=latest'

/** @throws PortariaError `not_found` */
export async function findEvent(store: StoreReader, id: string) {
  const found = await store.getEvent(id)
  if (found === null) throw new PortariaError('not_found', `there is no event ${id.slice(0, 64)}`)
  return found
}

/** RFC 9110 section 8.3.1, in plain ASCII. */
const MEDIA_TYPE = /^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+(?: *;[\x20-\x7e]*)?$/i
const LONGEST_TYPE = 200

function safeType(contentType: string | null): string {
  return contentType !== null && contentType.length <= LONGEST_TYPE && MEDIA_TYPE.test(contentType)
    ? contentType
    : 'application/octet-stream'
}
