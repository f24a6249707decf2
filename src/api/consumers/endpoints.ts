import type { Store } from '../../domain/store.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { PortariaError } from '../../platform/errors.ts'
import { iso } from '../../platform/time.ts'
import type { BoundedAnswers } from '../answers/bounded-answers.ts'
import { eventFilterFor, restrictedClient } from '../auth/store-scope.ts'
import { type HintOptions, hintFor, type PollingOptions } from '../events/event-lists.ts'
import { eventFilterFrom } from '../events/filter-schema.ts'
import { waiterOf } from '../events/long-polls.ts'
import type { Handlers } from '../http/contract.ts'
import { served } from '../http/served.ts'
import { CONSUMER_BATCHES } from './batch-contract.ts'
import { TOO_MANY, takeBatch } from './batches.ts'
import { CONSUMER_CHANGES, CONSUMER_READS } from './contract.ts'
import { consumerNotFound, namedConsumerKey, ownConsumerKey, pollNameOf } from './keys.ts'
import { invalidPosition, parsePlace, resolvePlace } from './positions.ts'
import { consumerView, consumerViews, noBatchView } from './view.ts'

export interface ConsumerReadParts {
  readonly store: StoreReader
  readonly now: () => number
}

export interface ConsumerParts extends ConsumerReadParts, PollingOptions {
  readonly hints: HintOptions
  readonly store: Store
  /** As the store lists events. */
  readonly events: Pick<Store, 'listEvents'>
  readonly answers: Pick<BoundedAnswers, 'endTurn'>
}

const READS: Handlers<typeof CONSUMER_READS, ConsumerReadParts> = {
  async listConsumers(call, { store, now }) {
    const { limit } = call.query
    const client = restrictedClient(call)
    const all = (await store.listConsumers()).filter(({ owner }) => client === null || owner === client.id)
    const data = await consumerViews(store, all.slice(0, limit), now())
    return { json: { data, more: all.length > limit } }
  },
  async showConsumer(call, { store, now }) {
    const key = await namedConsumerKey(call, store)
    const consumer = await store.getConsumer(key)
    if (consumer === null) throw consumerNotFound(key.name)
    return { json: await consumerView(store, consumer, now()) }
  },
}

const BATCHES: Handlers<typeof CONSUMER_BATCHES, ConsumerParts> = {
  async takeBatch(call, { store, events, bus, waiting, answers, now, hints }) {
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
  async acknowledgeBatch(call, { store, waiting, now }) {
    const { batch, position } = call.body
    const key = ownConsumerKey(call)
    const upTo = position === undefined ? null : parsePlace(position).position
    const acknowledged = await store.acknowledgeBatch(key, batch, upTo, now())
    if (acknowledged === 'not out') throw new PortariaError('conflict', NOT_OUT)
    if (acknowledged === 'outside') throw invalidPosition('it is not in this batch')
    waiting.notify(pollNameOf(key))
    return { json: await consumerView(store, acknowledged, now()) }
  },
}

const NOT_OUT =
  'this batch is not leased: it was acknowledged, has expired, or the consumer was moved; unacknowledged events are delivered again'

const CHANGES: Handlers<typeof CONSUMER_CHANGES, ConsumerParts> = {
  async seekConsumer(call, { store, waiting, now }) {
    const { owner } = call.query
    const key = await namedConsumerKey(call, store)
    const { position, gapsReportedAt } = await resolvePlace(store, call.body)
    if (owner !== undefined && (await store.getConsumer(key)) === null) throw consumerNotFound(key.name)
    const sought = await store.seekConsumer(key, position, now(), gapsReportedAt)
    if (sought === null) throw new PortariaError('conflict', TOO_MANY)
    waiting.notify(pollNameOf(key))
    return { json: await consumerView(store, sought, now()) }
  },
  async deleteConsumer(call, { store, waiting }) {
    const key = await namedConsumerKey(call, store)
    if (!(await store.deleteConsumer(key))) throw consumerNotFound(key.name)
    waiting.notify(pollNameOf(key))
    return { status: 204 }
  },
}

/** Every consumer belongs to the client that created it, or to the operator. */
export function consumerEndpoints(parts: ConsumerParts) {
  return {
    ...consumerReads(parts),
    ...served(CONSUMER_BATCHES, BATCHES, parts),
    ...served(CONSUMER_CHANGES, CHANGES, parts),
  }
}

export function consumerReads(parts: ConsumerReadParts) {
  return served(CONSUMER_READS, READS, parts)
}
