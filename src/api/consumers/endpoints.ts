import type { Response } from 'express'
import type { Consumer } from '../../domain/consumer.ts'
import { clientOf } from '../../domain/principal.ts'
import type { Store } from '../../domain/store.ts'
import { PortariaError } from '../../platform/errors.ts'
import { iso } from '../../platform/time.ts'
import type { BoundedAnswers } from '../answers/bounded-answers.ts'
import { membersOf } from '../audit/details.ts'
import { callerOf, requireUnrevoked } from '../auth/authentication.ts'
import { eventFilterFor, restrictedClient } from '../auth/store-scope.ts'
import { type HintOptions, hintFor, type PollingOptions } from '../events/endpoints.ts'
import { eventFilterFrom } from '../events/filter-schema.ts'
import { sendJson, sendJsonText } from '../http/answer.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { optionalBody, requiredBody } from '../http/json-body.ts'
import { readQuery } from '../http/query.ts'
import { checkBody } from '../http/violations.ts'
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
import { consumerViews, noBatchView } from './view.ts'

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
export function consumerEndpoints(options: ConsumerEndpointsOptions): readonly Endpoint[] {
  return [
    listConsumers(options),
    showConsumer(options),
    leaseBatch(options),
    acknowledgeBatch(options),
    seekConsumer(options),
    deleteConsumer(options),
  ]
}

function listConsumers({ store, now }: ConsumerEndpointsOptions): Endpoint {
  return {
    ...{ ...common, id: 'listConsumers', method: 'get', path: '/v1/consumers' },
    summary: 'List consumers',
    description: 'Clients see their own consumers, operators see all.',
    query: consumerListQuerySchema,
    answers: { 200: { description: 'Consumers.', schema: consumerListSchema } },
    async handler(request, response) {
      const { limit } = readQuery(request.url, consumerListQuerySchema)
      const client = restrictedClient(callerOf(request))
      const all = (await store.listConsumers()).filter(({ owner }) => client === null || owner === client.id)
      const data = await consumerViews(store, all.slice(0, limit), now())
      sendJson(response, { data, more: all.length > limit })
    },
  }
}

function showConsumer(options: ConsumerEndpointsOptions): Endpoint {
  return {
    ...{ ...one, id: 'showConsumer', method: 'get', path: '/v1/consumers/:name' },
    summary: 'Show a consumer and its lag',
    query: consumerQuerySchema,
    answers: { 200: consumerAnswer },
    async handler(request, response) {
      const key = namedConsumerKey(request)
      const consumer = await options.store.getConsumer(key)
      if (consumer === null) throw consumerNotFound(key.name)
      await sendConsumer(response, consumer, options)
    },
  }
}

function leaseBatch(options: ConsumerEndpointsOptions): Endpoint {
  const { store, events, bus, waiting, answers, now, hints } = options
  return {
    ...{ ...one, id: 'takeBatch', method: 'post', recording: 'off', path: '/v1/consumers/:name/batches' },
    takesTurn: true,
    summary: 'Lease the next batch of events',
    description: [
      'A consumer has one leased batch at a time. Another request waits for its end; after its own `wait` it gets an empty answer with `leased`.',
      'An unacknowledged batch is delivered again after its lease expires.',
      'The first request creates the consumer, positioned at the first event. Events that the filter of a request skips are skipped permanently,',
      'whatever later filters say.',
    ].join(' '),
    body: optionalBody(batchRequestSchema, { limit: 100, wait: 30, leaseSeconds: 60, filter: { kinds: ['payment'] } }),
    answers: {
      200: {
        description: 'A batch; empty if no event arrived in time, or if another batch is leased.',
        schema: batchSchema,
      },
      409: { description: 'The maximum number of consumers is reached.' },
      410: {
        description: [
          'Retention removed events that match the kinds and the environment before they were leased. Every request gets this answer until the',
          'consumer is moved. `next` skips no event that is still stored.',
        ].join(' '),
      },
      503: { description: 'The store is unavailable, or too many requests are waiting.' },
    },
    async handler(request, response) {
      const body = checkBody(batchRequestSchema, request.body ?? {}, {
        what: 'the request for a batch',
      })
      const key = ownConsumerKey(request)
      const asked = eventFilterFrom(body.filter)
      const batchRequest = {
        ...{ key, limit: body.limit, leaseMs: body.leaseSeconds * 1000 },
        filter: eventFilterFor(callerOf(request), asked),
      }
      const check = () => requireUnrevoked(request, response)
      const onWait = () => answers.endTurn(response)
      const poll = {
        waitMs: body.wait * 1000,
        name: pollNameOf(key),
        client: clientOf(callerOf(request)),
        onWait,
        check,
      }
      const waiter = waiting.wait(response, poll)
      const batch = await takeBatch(batchRequest, { store, events, bus, now, waiter }).finally(waiter.end)
      if (batch.id === null) {
        const hint = batch.leasedUntil === null ? await hintFor(request, asked, hints) : null
        return sendJson(response, noBatchView(batch, hint))
      }
      const rest = JSON.stringify({ batch: batch.id, expiresAt: iso(batch.expiresAt) })
      sendJsonText(response, `{"data":[${batch.texts.join(',')}],${rest.slice(1)}`)
    },
  }
}

function acknowledgeBatch(options: ConsumerEndpointsOptions): Endpoint {
  const { store, waiting, now } = options
  return {
    ...{ ...one, id: 'acknowledgeBatch', method: 'post', recording: 'off', path: '/v1/consumers/:name/ack' },
    summary: 'Acknowledge a batch or a part of it',
    description: 'The new position is on disk before the answer is sent.',
    body: requiredBody(acknowledgmentSchema, { batch: 'bat_0123456789' }),
    answers: {
      200: consumerAnswer,
      409: { description: 'The batch is not leased: it was acknowledged, has expired, or the consumer was moved.' },
    },
    async handler(request, response) {
      const { batch, position } = checkBody(acknowledgmentSchema, request.body, { what: 'the acknowledgment' })
      const key = ownConsumerKey(request)
      const upTo = position === undefined ? null : parsePlace(position).position
      const acknowledged = await store.acknowledgeBatch(key, batch, upTo, now())
      if (acknowledged === 'not out') throw new PortariaError('conflict', NOT_OUT)
      if (acknowledged === 'outside') throw invalidPosition('it is not in this batch')
      waiting.notify(pollNameOf(key))
      await sendConsumer(response, acknowledged, options)
    },
  }
}

const NOT_OUT =
  'this batch is not leased: it was acknowledged, has expired, or the consumer was moved; unacknowledged events are delivered again'

function seekConsumer(options: ConsumerEndpointsOptions): Endpoint {
  const { store, waiting, now } = options
  return {
    ...{ ...one, id: 'seekConsumer', method: 'post', path: '/v1/consumers/:name/seek' },
    summary: 'Move a consumer',
    details: (request) => membersOf(request, ['position']),
    description: 'Cancels the current lease. Creates the consumer if it does not exist, unless `owner` is given.',
    query: consumerQuerySchema,
    body: requiredBody(seekSchema, { position: 'latest' }),
    answers: { 200: consumerAnswer, 409: { description: 'The maximum number of consumers is reached.' } },
    async handler(request, response) {
      const body = checkBody(seekSchema, request.body, { what: 'the seek' })
      const { owner } = readQuery(request.url, consumerQuerySchema)
      const key = namedConsumerKey(request)
      const { position, gapsReportedAt } = await resolvePlace(store, body)
      if (owner !== undefined && (await store.getConsumer(key)) === null) throw consumerNotFound(key.name)
      const sought = await store.seekConsumer(key, position, now(), gapsReportedAt)
      if (sought === null) throw new PortariaError('conflict', TOO_MANY)
      waiting.notify(pollNameOf(key))
      await sendConsumer(response, sought, options)
    },
  }
}

function deleteConsumer({ store, waiting }: ConsumerEndpointsOptions): Endpoint {
  return {
    ...{ ...one, id: 'deleteConsumer', method: 'delete', path: '/v1/consumers/:name' },
    summary: 'Delete a consumer',
    description: 'A new consumer of the same name starts at the first event.',
    query: consumerQuerySchema,
    answers: { 204: { description: 'The consumer was deleted.' } },
    async handler(request, response) {
      const key = namedConsumerKey(request)
      if (!(await store.deleteConsumer(key))) throw consumerNotFound(key.name)
      waiting.notify(pollNameOf(key))
      response.status(204).end()
    },
  }
}

async function sendConsumer(response: Response, consumer: Consumer, options: ConsumerEndpointsOptions): Promise<void> {
  const [view] = await consumerViews(options.store, [consumer], options.now())
  sendJson(response, view)
}
