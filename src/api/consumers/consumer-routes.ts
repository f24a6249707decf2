import { type Response, Router } from 'express'
import type { Consumer } from '../../domain/consumer.ts'
import type { Store } from '../../domain/store.ts'
import { PortariaError } from '../../platform/errors.ts'
import { isoOrNull } from '../../platform/time.ts'
import { clientOf } from '../auth/authentication.ts'
import { eventFilterFor, restrictedClient } from '../auth/store-scope.ts'
import type { PollingOptions } from '../events/event-routes.ts'
import { eventFilterFrom } from '../events/filter-schema.ts'
import { sendJson } from '../http/answer.ts'
import { optionalJsonBody, requiredJsonBody } from '../http/json-body.ts'
import { readQuery } from '../http/query.ts'
import { checkBody } from '../http/violations.ts'
import { TOO_MANY, takeBatch } from './batches.ts'
import { consumerListQuery, consumerQuery } from './consumer-operations.ts'
import { callOf, meantKey, noConsumer, ownKey } from './keys.ts'
import { positionOfText, soughtPosition, wrongPosition } from './positions.ts'
import { acknowledgmentSchema, batchRequestSchema, seekSchema } from './schema.ts'
import { consumerView } from './view.ts'

export interface ConsumerRoutesOptions extends PollingOptions {
  readonly store: Store
  readonly now: () => number
}

/** `/v1/consumers` */
export function consumerRoutes({ store, bus, waiting, now }: ConsumerRoutesOptions): Router {
  const router = Router()

  router.get('/v1/consumers', async function listConsumers(request, response) {
    const { limit } = readQuery(request.url, consumerListQuery)
    const client = restrictedClient(request)
    const all = (await store.listConsumers()).filter(({ owner }) => client === null || owner === client.id)
    const latest = await store.latestPosition()
    const data = all.slice(0, limit).map((consumer) => consumerView(consumer, latest, now()))
    sendJson(response, JSON.stringify({ data, more: all.length > limit }))
  })

  router.get('/v1/consumers/:name', async function showConsumer(request, response) {
    const key = meantKey(request)
    const consumer = await store.getConsumer(key)
    if (consumer === null) throw noConsumer(key.name)
    await send(response, consumer)
  })

  router.post('/v1/consumers/:name/batches', ...optionalJsonBody, async function giveBatch(request, response) {
    const body = checkBody(batchRequestSchema, request.body ?? {}, { what: 'the request for a batch' })
    const key = ownKey(request)
    const wanted = {
      ...{ key, limit: body.limit, leaseMs: body.leaseSeconds * 1000 },
      filter: eventFilterFor(request, eventFilterFrom(body.filter)),
    }
    const held = { waitMs: body.wait * 1000, name: callOf(key), client: clientOf(request) }
    const batch = await waiting.wait(response, held, (waiter) => takeBatch(wanted, { store, bus, now, waiter }))
    const ending = JSON.stringify({ batch: batch?.id ?? null, expiresAt: isoOrNull(batch?.expiresAt ?? null) })
    sendJson(response, `{"data":[${(batch?.texts ?? []).join(',')}],${ending.slice(1)}`)
  })

  router.post('/v1/consumers/:name/ack', ...requiredJsonBody(), async function acknowledge(request, response) {
    const { batch, position } = checkBody(acknowledgmentSchema, request.body, { what: 'the acknowledgment' })
    const key = ownKey(request)
    const upTo = position === undefined ? null : positionOfText(position)
    const acknowledged = await store.acknowledgeBatch(key, batch, upTo, now())
    if (acknowledged === 'not out') throw new PortariaError('conflict', NOT_OUT)
    if (acknowledged === 'outside') throw wrongPosition('it is not in this batch')
    waiting.notify(callOf(key))
    await send(response, acknowledged)
  })

  router.post('/v1/consumers/:name/seek', ...requiredJsonBody(), async function seekConsumer(request, response) {
    const body = checkBody(seekSchema, request.body, { what: 'the seek' })
    const { owner } = readQuery(request.url, consumerQuery)
    const key = meantKey(request)
    const position = await soughtPosition(store, body)
    if (owner !== undefined && (await store.getConsumer(key)) === null) throw noConsumer(key.name)
    const sought = await store.seekConsumer(key, position, now())
    if (sought === null) throw new PortariaError('conflict', TOO_MANY)
    waiting.notify(callOf(key))
    await send(response, sought)
  })

  router.delete('/v1/consumers/:name', async function deleteConsumer(request, response) {
    const key = meantKey(request)
    if (!(await store.deleteConsumer(key))) throw noConsumer(key.name)
    waiting.notify(callOf(key))
    response.status(204).end()
  })

  async function send(response: Response, consumer: Consumer): Promise<void> {
    sendJson(response, JSON.stringify(consumerView(consumer, await store.latestPosition(), now())))
  }

  return router
}

const NOT_OUT =
  'this batch is not out: it was acknowledged, has expired, or the consumer was moved; what was not acknowledged comes again'
