import type { DeliveryRecord } from '../../domain/delivery.ts'
import type { EventMask } from '../../domain/masking/event-mask.ts'
import { numberedId } from '../../domain/public-id.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import type { BoundedAnswers } from '../answers/bounded-answers.ts'
import { membersOf } from '../audit/details.ts'
import { seesMasked } from '../auth/store-scope.ts'
import { maskedAttempt, maskedDelivery } from '../deliveries/masked-view.ts'
import { attemptView, deliveryView, type NextProbeOf } from '../deliveries/view.ts'
import { endpoint, segmentOf } from '../http/endpoint.ts'
import { requiredBody } from '../http/json-body.ts'
import { MAX_LIMIT } from '../http/query.ts'
import type { StreamRegistry } from '../streams/stream-registry.ts'
import { createEventLists, type EventListOptions } from './event-lists.ts'
import { targetOf } from './event-target.ts'
import { findEvent, proofOf, requireBody } from './lookup.ts'
import { maskedEvidence, maskedTexts } from './masked-view.ts'
import {
  eventDeliveriesSchema,
  eventDetailSchema,
  eventPageSchema,
  eventQuerySchema,
  eventReplayQuerySchema,
  eventReplaySchema,
  ORIGINAL_HEADERS,
  proofSchema,
  unmaskRequestSchema,
} from './schema.ts'
import { searchOf } from './search-pages.ts'
import { eventText, evidenceView } from './serializer.ts'
import { streamEvents } from './stream.ts'

export interface EventEndpointsOptions extends EventListOptions {
  readonly streams: Pick<StreamRegistry, 'serve'>
  readonly answers: Pick<BoundedAnswers, 'endTurn' | 'turnOf'>
  /** Deliveries to these destinations may be due now. */
  readonly wake: (destinationIds: readonly number[]) => void
  readonly nextProbeOf: NextProbeOf
}

const common = { tag: 'Events', errors: 'problem' } as const
/** With `support.read` alone personal data is masked. */
const MASKED_READ = ['events.read', 'support.read'] as const
const one = { ...common, segments: { id: 'Id of the event, such as evt_1_0123456789.' } }

export function eventEndpoints(options: EventEndpointsOptions) {
  return {
    listEvents: listEvents(options),
    // Before the path with an id.
    streamEvents: streamEvents(options),
    showEvent: showEvent(options),
    showOriginal: showOriginal(options),
    showProof: showProof(options),
    listEventDeliveries: listEventDeliveries(options),
    unmaskEvent: unmaskEvent(options),
    replayEvent: replayEvent(options),
  }
}

function listEvents(options: EventEndpointsOptions) {
  const lists = createEventLists(options)
  return endpoint({
    ...common,
    method: 'get',
    path: '/v1/events',
    access: MASKED_READ,
    summary: 'List or poll for events',
    description: [
      'Oldest first. Store `next` and pass it as `after` in the next request: no event is missed or repeated, however many events the filter skips.',
      'With `order=desc` newest first: `next` continues with older events, until `more` is false. It reports no events that retention removed.',
      'A page ends at `limit` or at 4 MiB, of masked events at 512 KiB of payloads. With `search` newest first, too; a page may be short or empty although `more` is true: continue with `next`.',
    ].join(' '),
    query: eventQuerySchema,
    answers: {
      200: { description: 'A page of events.', schema: eventPageSchema },
      410: {
        description:
          'Retention removed events that match the kinds, institution and environment before they were read. Answered once: `next` continues after the gap. Not with `order=desc`.',
      },
      503: { description: 'The store is unavailable, or too many requests are waiting.' },
    },
    run(call) {
      const search = searchOf(call.query)
      return search === undefined ? lists.list(call) : lists.search(call, search)
    },
  })
}

function showEvent({ storeFor, mask, nextProbeOf }: EventEndpointsOptions) {
  return endpoint({
    ...one,
    method: 'get',
    path: '/v1/events/:id',
    access: MASKED_READ,
    summary: 'Show an event with its evidence',
    description: MASKED,
    answers: { 200: { description: 'The event.', schema: eventDetailSchema } },
    async run(call) {
      const store = storeFor(call)
      const id = segmentOf(call, 'id')
      const parts = { store, id, nextProbeOf }
      return { jsonText: seesMasked(call) ? await maskedDetail(parts, mask) : await detailOf(parts) }
    },
  })
}

const MASKED =
  'For a token with support.read, without events.read, personal data is `***`: configuration, `personalData` of its kind.'

interface DetailParts extends Pick<EventEndpointsOptions, 'nextProbeOf'> {
  readonly store: StoreReader
  readonly id: string
}

/** An event with its evidence and its deliveries, as JSON text. */
async function detailOf({ store, id, nextProbeOf }: DetailParts): Promise<string> {
  const { event, evidence, hashes } = await findEvent(store, id)
  const deliveries = await store.listDeliveries({ position: event.position }, MAX_LIMIT)
  const views = deliveries.map((delivery) => deliveryView(delivery, nextProbeOf))
  const rest = { evidence: evidenceView(evidence), hashes, deliveries: views }
  return `${eventText(event).slice(0, -1)},${JSON.stringify(rest).slice(1)}`
}

async function maskedDetail({ store, id, nextProbeOf }: DetailParts, mask: EventMask): Promise<string> {
  const { event, evidence } = await findEvent(store, id)
  const deliveries = await store.listDeliveries({ position: event.position }, MAX_LIMIT)
  const masked = mask(event)
  const rest = {
    evidence: maskedEvidence(evidenceView(evidence), masked),
    // Of a payload in which only a CPF is unknown, the hash tells the CPF after a few minutes of trying.
    hashes: null,
    deliveries: deliveries.map((delivery) => maskedDelivery(deliveryView(delivery, nextProbeOf), masked)),
  }
  return `${maskedTexts(() => masked)(event).slice(0, -1)},${JSON.stringify(rest).slice(1)}`
}

const UNMASK_REQUEST = requiredBody(unmaskRequestSchema, {
  what: 'the request to unmask an event',
  example: { reason: 'The customer asks for the receipt.' },
})

function unmaskEvent({ storeFor, nextProbeOf }: EventEndpointsOptions) {
  return endpoint({
    ...one,
    method: 'post',
    path: '/v1/events/:id/unmask',
    access: ['support.unmask'],
    takesTurn: true,
    summary: 'Show the personal data of an event, with a reason',
    description:
      'The log of actions (`GET /v1/audit`) has the client, the event and the reason before the event is sent.',
    body: UNMASK_REQUEST,
    answers: { 200: { description: 'The event with its personal data.', schema: eventDetailSchema } },
    recording: { reasonOf: ({ body }) => UNMASK_REQUEST.check(body).reason },
    async run(call) {
      const parts = { store: storeFor(call), id: segmentOf(call, 'id'), nextProbeOf }
      return { jsonText: await detailOf(parts) }
    },
  })
}

function showOriginal({ storeFor }: EventEndpointsOptions) {
  return endpoint({
    ...one,
    method: 'get',
    path: '/v1/events/:id/original',
    access: ['events.read'],
    summary: 'Get the original callback body',
    description: [
      'The exact body of the callback that contained the event, with all of its facts. The content type is that of the callback, or',
      'application/octet-stream if it had no valid one. The headers keep browsers from rendering it. For a resolved event: the callback of its token.',
    ].join(' '),
    answers: {
      200: {
        description: 'The bytes as received.',
        type: '*/*',
        headers: ORIGINAL_HEADERS,
      },
      410: { description: 'The original body is no longer stored: retention or a redaction removed data.' },
    },
    async run(call) {
      const { evidence } = await findEvent(storeFor(call), segmentOf(call, 'id'))
      requireBody(evidence)
      // A stored body may be an HTML page: these headers keep a browser from running it with the API's origin.
      const headers = Object.fromEntries(
        Object.entries(ORIGINAL_HEADERS).map(([name, { schema }]) => [name, schema.const]),
      )
      return { headers, content: evidence.body, type: safeType(evidence.contentType) }
    },
  })
}

function showProof({ storeFor }: EventEndpointsOptions) {
  return endpoint({
    ...one,
    method: 'get',
    path: '/v1/events/:id/proof',
    access: ['events.read'],
    summary: 'Show what proves an event',
    answers: { 200: { description: 'The hashed fields and the hashes.', schema: proofSchema } },
    run: async (call) => ({ json: await proofOf(storeFor(call), segmentOf(call, 'id')) }),
  })
}

/** RFC 9110 section 8.3.1, in plain ASCII. */
const MEDIA_TYPE = /^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+(?: *;[\x20-\x7e]*)?$/i
const LONGEST_TYPE = 200

function safeType(contentType: string | null): string {
  return contentType !== null && contentType.length <= LONGEST_TYPE && MEDIA_TYPE.test(contentType)
    ? contentType
    : 'application/octet-stream'
}

function listEventDeliveries({ storeFor, mask, nextProbeOf }: EventEndpointsOptions) {
  return endpoint({
    ...one,
    method: 'get',
    path: '/v1/events/:id/deliveries',
    access: MASKED_READ,
    summary: 'List the deliveries of an event with their attempts',
    description: 'Without events.read, response bodies of destinations are left out, and personal data is masked.',
    answers: { 200: { description: 'Its deliveries.', schema: eventDeliveriesSchema } },
    async run(call) {
      const store = storeFor(call)
      const { event } = await findEvent(store, segmentOf(call, 'id'))
      const deliveries = await store.listDeliveries({ position: event.position }, MAX_LIMIT)
      const triedDelivery = async (delivery: DeliveryRecord) => ({
        delivery: deliveryView(delivery, nextProbeOf),
        latestAttempts: (await store.listAttempts(delivery.deliveryId, MAX_LIMIT)).map(attemptView),
      })
      const tried = await Promise.all(deliveries.map(triedDelivery))
      const masked = seesMasked(call) ? mask(event) : null
      const data = tried.map(({ delivery, latestAttempts }) =>
        masked === null
          ? { ...delivery, latestAttempts }
          : {
              ...maskedDelivery(delivery, masked),
              latestAttempts: latestAttempts.map((one) => maskedAttempt(one, masked)),
            },
      )
      return { json: { data } }
    },
  })
}

function replayEvent({ storeFor, now, wake }: EventEndpointsOptions) {
  return endpoint({
    ...one,
    method: 'post',
    path: '/v1/events/:id/replay',
    access: ['events.replay', 'support.replay'],
    summary: 'Replay an event',
    details: ({ query }) => ({ destination: membersOf(query, ['destination']).destination ?? 'all' }),
    description:
      'With `support.replay` to any destination that has a delivery of the event; with `events.replay` to any destination of the client.',
    query: eventReplayQuerySchema,
    answers: {
      200: { description: 'The deliveries are pending.', schema: eventReplaySchema },
      409: { description: 'The destination was removed, or the data of the event was.' },
    },
    async run(call) {
      const { destination: name } = call.query
      const store = storeFor(call)
      const event = segmentOf(call, 'id')
      const target = name === undefined ? null : await targetOf(call, store, { eventId: event, idOrName: name })
      const { deliveryIds, leftIds, destinationIds } = await store.replayEvent(event, target, now())
      wake(destinationIds)
      const deliveries = deliveryIds.map((id) => numberedId('dlv', id))
      return { json: { event, deliveries, waiting: leftIds.map((id) => numberedId('dlv', id)) } }
    },
  })
}
