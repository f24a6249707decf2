import type { EventMask } from '../../domain/masking/event-mask.ts'
import { numberedId } from '../../domain/public-id.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import type { BoundedAnswers } from '../answers/bounded-answers.ts'
import { membersOf } from '../audit/details.ts'
import { type StoreFor, seesMasked } from '../auth/store-scope.ts'
import { maskedAttempt, maskedDelivery } from '../deliveries/masked-view.ts'
import { deliveryView, type NextProbeOf } from '../deliveries/view.ts'
import type { Handlers } from '../http/contract.ts'
import { segmentOf } from '../http/endpoint.ts'
import { MAX_LIMIT } from '../http/query.ts'
import { served } from '../http/served.ts'
import { checkBody } from '../http/violations.ts'
import type { StreamRegistry } from '../streams/stream-registry.ts'
import { EVENT_ACTIONS, EVENT_LISTS, EVENT_READS } from './contract.ts'
import { createEventLists, type EventListOptions } from './event-lists.ts'
import { targetOf } from './event-target.ts'
import { findEvent, proofOf, requireBody, triedDeliveries } from './lookup.ts'
import { maskedEvidence, maskedTexts } from './masked-view.ts'
import { ORIGINAL_HEADERS } from './schema.ts'
import { searchOf } from './search-pages.ts'
import { eventText, evidenceView } from './serializer.ts'
import { streamEvents } from './stream.ts'

export interface EventReadParts extends EventListOptions {
  readonly nextProbeOf: NextProbeOf
}

export interface EventEndpointsOptions extends EventReadParts {
  readonly storeFor: StoreFor
  readonly streams: Pick<StreamRegistry, 'serve'>
  readonly answers: Pick<BoundedAnswers, 'endTurn' | 'turnOf'>
  /** Deliveries to these destinations may be due now. */
  readonly wake: (destinationIds: readonly number[]) => void
}

const LISTS: Handlers<typeof EVENT_LISTS, ReturnType<typeof createEventLists>> = {
  listEvents(call, lists) {
    const search = searchOf(call.query)
    return search === undefined ? lists.list(call) : lists.search(call, search)
  },
}

const READS: Handlers<typeof EVENT_READS, EventReadParts> = {
  async showEvent(call, { storeFor, mask, nextProbeOf }) {
    const store = storeFor(call)
    const id = segmentOf(call, 'id')
    const parts = { store, id, nextProbeOf }
    return { jsonText: seesMasked(call) ? await maskedDetail(parts, mask) : await detailOf(parts) }
  },
  async showOriginal(call, { storeFor }) {
    const { evidence } = await findEvent(storeFor(call), segmentOf(call, 'id'))
    requireBody(evidence)
    // A stored body may be an HTML page: these headers keep a browser from running it with the API's origin.
    const headers = Object.fromEntries(
      Object.entries(ORIGINAL_HEADERS).map(([name, { schema }]) => [name, schema.const]),
    )
    return { headers, content: evidence.body, type: safeType(evidence.contentType) }
  },
  showProof: async (call, { storeFor }) => ({ json: await proofOf(storeFor(call), segmentOf(call, 'id')) }),
  async listEventDeliveries(call, { storeFor, mask, nextProbeOf }) {
    const store = storeFor(call)
    const { event } = await findEvent(store, segmentOf(call, 'id'))
    const tried = await triedDeliveries(store, event, nextProbeOf)
    if (!seesMasked(call)) return { json: { data: tried } }
    const masked = mask(event)
    const data = tried.map(({ latestAttempts, ...delivery }) => ({
      ...maskedDelivery(delivery, masked),
      latestAttempts: latestAttempts.map((one) => maskedAttempt(one, masked)),
    }))
    return { json: { data } }
  },
}

const { body: UNMASKING } = EVENT_ACTIONS.unmaskEvent

const ACTIONS: Handlers<typeof EVENT_ACTIONS, EventEndpointsOptions> = {
  unmaskEvent: {
    recording: { reasonOf: ({ body }) => checkBody(UNMASKING.schema, body, UNMASKING).reason },
    async run(call, { storeFor, nextProbeOf }) {
      const parts = { store: storeFor(call), id: segmentOf(call, 'id'), nextProbeOf }
      return { jsonText: await detailOf(parts) }
    },
  },
  replayEvent: {
    details: ({ query }) => ({ destination: membersOf(query, ['destination']).destination ?? 'all' }),
    async run(call, { storeFor, now, wake }) {
      const { destination: name } = call.query
      const store = storeFor(call)
      const event = segmentOf(call, 'id')
      const target = name === undefined ? null : await targetOf(call, store, { eventId: event, idOrName: name })
      const { deliveryIds, leftIds, destinationIds } = await store.replayEvent(event, target, now())
      wake(destinationIds)
      const deliveries = deliveryIds.map((id) => numberedId('dlv', id))
      return { json: { event, deliveries, waiting: leftIds.map((id) => numberedId('dlv', id)) } }
    },
  },
}

export function eventEndpoints(options: EventEndpointsOptions) {
  const { listEvents, ...others } = eventReads(options)
  return {
    listEvents,
    // Before the path with an id.
    streamEvents: streamEvents(options),
    ...others,
    ...served(EVENT_ACTIONS, ACTIONS, options),
  }
}

export function eventReads(parts: EventReadParts) {
  return { ...served(EVENT_LISTS, LISTS, createEventLists(parts)), ...served(EVENT_READS, READS, parts) }
}

interface DetailParts extends Pick<EventReadParts, 'nextProbeOf'> {
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

/** RFC 9110 section 8.3.1, in plain ASCII. */
const MEDIA_TYPE = /^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+(?: *;[\x20-\x7e]*)?$/i
const LONGEST_TYPE = 200

function safeType(contentType: string | null): string {
  return contentType !== null && contentType.length <= LONGEST_TYPE && MEDIA_TYPE.test(contentType)
    ? contentType
    : 'application/octet-stream'
}
