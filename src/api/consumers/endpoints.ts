import type { Store } from '../../domain/store.ts'
import { PortariaError } from '../../platform/errors.ts'
import { iso } from '../../platform/time.ts'
import type { BoundedAnswers } from '../answers/bounded-answers.ts'
import { membersOf } from '../audit/details.ts'
import { eventFilterFor, restrictedClient } from '../auth/store-scope.ts'
import { type HintOptions, hintFor, type PollingOptions } from '../events/event-lists.ts'
import { eventFilterFrom } from '../events/filter-schema.ts'
import { waiterOf } from '../events/long-polls.ts'
import { endpoint } from '../http/endpoint.ts'
import { optionalBody, requiredBody } from '../http/json-body.ts'
import { TOO_MANY, takeBatch } from './batches.ts'
import { consumerNotFound, namedConsumerKey, ownConsumerKey, pollNameOf } from './keys.ts'
import { invalidPosition, parsePlace, resolvePlace } from './positions.ts'
import {
  acknowledgmentSchema,
  batchRequestSchema,
  batchSchema,
  consumerListQuerySchema,
  consumerListSchema,
  consumerQuerySchema,
  consumerSchema,
  seekSchema,
} from './schema.ts'
import { consumerView, consumerViews, noBatchView } from './view.ts'

export interface ConsumerEndpointsOptions extends PollingOptions {
  readonly hints: HintOptions
  readonly store: Store
  /** As the store lists events. */
  readonly events: Pick<Store, 'listEvents'>
  readonly answers: Pick<BoundedAnswers, 'endTurn'>
  readonly now: () => number
}

const common = { tag: 'Consumers', access: ['events.read'], errors: 'problem' } as const
const one = { ...common, segments: { name: 'The consumer.' } }
const consumerAnswer = { description: 'The consumer.', schema: consumerSchema }

/** Every consumer belongs to the client that created it, or to the operator. */
export function consumerEndpoints(options: ConsumerEndpointsOptions) {
  return {
    listConsumers: listConsumers(options),
    showConsumer: showConsumer(options),
    takeBatch: leaseBatch(options),
    acknowledgeBatch: acknowledgeBatch(options),
    seekConsumer: seekConsumer(options),
    deleteConsumer: deleteConsumer(options),
  }
}

function listConsumers({ store, now }: ConsumerEndpointsOptions) {
  return endpoint({
    ...common,
    method: 'get',
    path: '/v1/consumers',
    summary: 'List consumers',
    description: 'Clients see their own consumers, operators see all.',
    query: consumerListQuerySchema,
    answers: { 200: { description: 'Consumers.', schema: consumerListSchema } },
    async run(call) {
      const { limit } = call.query
      const client = restrictedClient(call)
      const all = (await store.listConsumers()).filter(({ owner }) => client === null || owner === client.id)
      const data = await consumerViews(store, all.slice(0, limit), now())
      return { json: { data, more: all.length > limit } }
    },
  })
}

function showConsumer(options: ConsumerEndpointsOptions) {
  return endpoint({
    ...one,
    method: 'get',
    path: '/v1/consumers/:name',
    summary: 'Show a consumer and its lag',
    query: consumerQuerySchema,
    answers: { 200: consumerAnswer },
    async run(call) {
      const key = await namedConsumerKey(call, options.store)
      const consumer = await options.store.getConsumer(key)
      if (consumer === null) throw consumerNotFound(key.name)
      return { json: await consumerView(options.store, consumer, options.now()) }
    },
  })
}

function leaseBatch(options: ConsumerEndpointsOptions) {
  const { store, events, bus, waiting, answers, now, hints } = options
  return endpoint({
    ...one,
    method: 'post',
    recording: 'off',
    path: '/v1/consumers/:name/batches',
    takesTurn: true,
    summary: 'Lease the next batch of events',
    description: [
      'A consumer has one leased batch at a time. Another request waits for its end; after its own `wait` it gets an empty answer with `leased`.',
      'An unacknowledged batch is delivered again after its lease expires.',
      'The first request creates the consumer, positioned at the first event. Events that the filter of a request skips are skipped permanently,',
      'whatever later filters say.',
    ].join(' '),
    body: optionalBody(batchRequestSchema, {
      what: 'the request for a batch',
      example: { limit: 100, wait: 30, leaseSeconds: 60, filter: { kinds: ['payment'] } },
    }),
    answers: {
      200: {
        description: 'A batch; empty if no event arrived in time, or if another batch is leased.',
        schema: batchSchema,
      },
      404: { description: 'There is no such consumer, and `create` is false.' },
      409: { description: 'The maximum number of consumers is reached.' },
      410: {
        description: [
          'Retention removed events that match the kinds, institution and environment before they were leased. Every request gets this answer until the',
          'consumer is moved. `next` skips no event that is still stored.',
        ].join(' '),
      },
      503: { description: 'The store is unavailable, or too many requests are waiting.' },
    },
    async run(call) {
      const { body } = call
      const key = ownConsumerKey(call)
      const asked = eventFilterFrom(body.filter)
      const batchRequest = {
        key,
        limit: body.limit,
        leaseMs: body.leaseSeconds * 1000,
        creates: body.create,
        filter: eventFilterFor(call, asked),
      }
      const waiter = waiterOf(call, { waiting, answers }, { waitMs: body.wait * 1000, name: pollNameOf(key) })
      const batch = await takeBatch(batchRequest, { store, events, bus, now, waiter }).finally(waiter.end)
      if (batch.id === null) {
        const hint = batch.leasedUntil === null ? await hintFor(call, asked, hints) : null
        return { json: noBatchView(batch, hint) }
      }
      const rest = JSON.stringify({ batch: batch.id, expiresAt: iso(batch.expiresAt) })
      return { jsonText: `{"data":[${batch.texts.join(',')}],${rest.slice(1)}` }
    },
  })
}

function acknowledgeBatch(options: ConsumerEndpointsOptions) {
  const { store, waiting, now } = options
  return endpoint({
    ...one,
    method: 'post',
    recording: 'off',
    path: '/v1/consumers/:name/ack',
    summary: 'Acknowledge a batch or a part of it',
    description: 'The new position is on disk before the answer is sent.',
    body: requiredBody(acknowledgmentSchema, { what: 'the acknowledgment', example: { batch: 'bat_0123456789' } }),
    answers: {
      200: consumerAnswer,
      409: { description: 'The batch is not leased: it was acknowledged, has expired, or the consumer was moved.' },
    },
    async run(call) {
      const { batch, position } = call.body
      const key = ownConsumerKey(call)
      const upTo = position === undefined ? null : parsePlace(position).position
      const acknowledged = await store.acknowledgeBatch(key, batch, upTo, now())
      if (acknowledged === 'not out') throw new PortariaError('conflict', NOT_OUT)
      if (acknowledged === 'outside') throw invalidPosition('it is not in this batch')
      waiting.notify(pollNameOf(key))
      return { json: await consumerView(store, acknowledged, now()) }
    },
  })
}

const NOT_OUT =
  'this batch is not leased: it was acknowledged, has expired, or the consumer was moved; unacknowledged events are delivered again'

function seekConsumer(options: ConsumerEndpointsOptions) {
  const { store, waiting, now } = options
  return endpoint({
    ...one,
    method: 'post',
    path: '/v1/consumers/:name/seek',
    summary: 'Move a consumer',
    details: (call) => membersOf(call.body, ['position']),
    description: 'Cancels the current lease. Creates the consumer if it does not exist, unless `owner` is given.',
    query: consumerQuerySchema,
    body: requiredBody(seekSchema, { what: 'the seek', example: { position: 'latest' } }),
    answers: { 200: consumerAnswer, 409: { description: 'The maximum number of consumers is reached.' } },
    async run(call) {
      const { owner } = call.query
      const key = await namedConsumerKey(call, store)
      const { position, gapsReportedAt } = await resolvePlace(store, call.body)
      if (owner !== undefined && (await store.getConsumer(key)) === null) throw consumerNotFound(key.name)
      const sought = await store.seekConsumer(key, position, now(), gapsReportedAt)
      if (sought === null) throw new PortariaError('conflict', TOO_MANY)
      waiting.notify(pollNameOf(key))
      return { json: await consumerView(store, sought, now()) }
    },
  })
}

function deleteConsumer({ store, waiting }: ConsumerEndpointsOptions) {
  return endpoint({
    ...one,
    method: 'delete',
    path: '/v1/consumers/:name',
    summary: 'Delete a consumer',
    description: 'A new consumer of the same name starts at the first event.',
    query: consumerQuerySchema,
    answers: { 204: { description: 'The consumer was deleted.' } },
    async run(call) {
      const key = await namedConsumerKey(call, store)
      if (!(await store.deleteConsumer(key))) throw consumerNotFound(key.name)
      waiting.notify(pollNameOf(key))
      return { status: 204 }
    },
  })
}
