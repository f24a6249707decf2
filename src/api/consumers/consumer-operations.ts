import type { Operation } from '../http/endpoint.ts'
import { JSON_TYPE } from '../http/json-body.ts'
import { limit, text } from '../http/query.ts'
import {
  acknowledgmentSchema,
  batchRequestSchema,
  batchSchema,
  consumerListSchema,
  consumerSchema,
  seekSchema,
} from './schema.ts'

export const consumerListQuery = { limit }

export const consumerQuery = {
  owner: text("Whose consumer is meant: a client's id, or `operator`. Left out: your own. Others' are for operators."),
}

const common = { tag: 'Consumers', access: 'scopes', errors: 'problem' } as const
const segments = { name: 'The consumer.' }
const shown = { description: 'The consumer.', schema: consumerSchema }

export const CONSUMER_OPERATIONS: readonly Operation[] = [
  {
    ...common,
    ...{ id: 'listConsumers', method: 'get', path: '/v1/consumers' },
    summary: 'List consumers',
    description: 'Your own; for operators all of them.',
    query: consumerListQuery,
    answers: { 200: { description: 'Consumers.', schema: consumerListSchema } },
  },
  {
    ...common,
    ...{ id: 'showConsumer', method: 'get', path: '/v1/consumers/:name', segments },
    summary: 'Show a consumer, and how far it is behind',
    query: consumerQuery,
    answers: { 200: shown },
  },
  {
    ...common,
    ...{ id: 'takeBatch', method: 'post', path: '/v1/consumers/:name/batches', segments },
    summary: 'Take the next events of a consumer',
    description:
      'One batch is out at a time: while it is, others wait. It comes again unless it is acknowledged before it expires. The first request makes the consumer, at the start of all events. What the filter of a request skips is passed over for good, whatever the next one asks for.',
    body: {
      schema: batchRequestSchema,
      ...{ types: [JSON_TYPE], isRequired: false },
      example: { limit: 100, wait: 30, leaseSeconds: 60, filter: { kinds: ['payment'] } },
    },
    answers: {
      200: { description: 'A batch; an empty one where nothing came in time.', schema: batchSchema },
      409: { description: 'It would be one consumer too many.' },
      410: {
        description:
          'Retention removed events of the kinds and the environment asked for before they were lent out. Said until the consumer is moved: `next` of the answer misses nothing that is still there.',
      },
      503: { description: 'The store cannot be used just now, or too many requests wait already.' },
    },
  },
  {
    ...common,
    ...{ id: 'acknowledgeBatch', method: 'post', path: '/v1/consumers/:name/ack', segments },
    summary: 'Acknowledge a batch, or a part of it',
    description: 'The consumer has moved on, on disk, when this is answered.',
    body: { schema: acknowledgmentSchema, types: [JSON_TYPE], isRequired: true, example: { batch: 'bat_0123456789' } },
    answers: {
      200: shown,
      409: { description: 'The batch is not out: it was acknowledged, has expired, or the consumer was moved.' },
    },
  },
  {
    ...common,
    ...{ id: 'seekConsumer', method: 'post', path: '/v1/consumers/:name/seek', segments },
    summary: 'Move a consumer',
    description: 'What it has lent out counts no more. One of your own that is not there is made.',
    query: consumerQuery,
    body: { schema: seekSchema, types: [JSON_TYPE], isRequired: true, example: { position: 'latest' } },
    answers: { 200: shown, 409: { description: 'It would be one consumer too many.' } },
  },
  {
    ...common,
    ...{ id: 'deleteConsumer', method: 'delete', path: '/v1/consumers/:name', segments },
    summary: 'Delete a consumer',
    description: 'One of the same name begins at the start again.',
    query: consumerQuery,
    answers: { 204: { description: 'It is gone.' } },
  },
]
