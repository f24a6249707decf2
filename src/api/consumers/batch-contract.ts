import { z } from 'zod'
import { MAX_LEASE_MS } from '../../domain/consumer.ts'
import { eventFilterSchema } from '../events/filter-schema.ts'
import { eventSchema } from '../events/schema.ts'
import { contracts } from '../http/contract.ts'
import { MAX_LIMIT } from '../http/query.ts'
import { hintSchema, time } from '../http/schema-parts.ts'
import { consumerAnswer, leaseSchema, ofOne, PLACE } from './contract.ts'

const batchId = z.string().regex(/^bat_[0-9a-z]{10}$/)

/** The body of `POST /v1/consumers/:name/batches`. */
const batchRequestSchema = z
  .strictObject({
    limit: z.int().min(1).max(MAX_LIMIT).default(100).describe('Maximum number of events'),
    wait: z.int().min(0).max(30).default(0).describe('How many seconds to wait for events'),
    leaseSeconds: z
      .int()
      .min(1)
      .max(MAX_LEASE_MS / 1000)
      .default(60)
      .describe('Lease of the batch: it is delivered again unless it is acknowledged by then'),
    filter: eventFilterSchema.default({}),
    create: z
      .boolean()
      .default(true)
      .describe('false: 404 where there is no such consumer, also if it is deleted meanwhile'),
  })
  .meta({ id: 'BatchRequest' })

export const batchSchema = z
  .strictObject({
    batch: batchId.nullable().describe('Id for the acknowledgment; null: no events, or another batch is leased'),
    data: z.array(eventSchema),
    expiresAt: time.nullable().describe('When the lease of this batch expires; null: no batch'),
    leased: leaseSchema
      .optional()
      .describe('Only in an empty answer: another request holds the next batch. Without it, there is no event.'),
    hint: hintSchema,
  })
  .meta({ id: 'Batch', description: 'Events leased to a consumer.' })

/** The body of `POST /v1/consumers/:name/ack`. */
const acknowledgmentSchema = z
  .strictObject({
    batch: z.string(),
    position: z
      .string()
      .optional()
      .describe(
        `To acknowledge a part of the batch, ${PLACE}; the rest is delivered again. The position of the consumer gives the whole batch back`,
      ),
  })
  .meta({ id: 'Acknowledgment' })

export const CONSUMER_BATCHES = contracts({
  takeBatch: {
    ...ofOne,
    method: 'post',
    path: '/v1/consumers/:name/batches',
    recording: 'off',
    takesTurn: true,
    summary: 'Lease the next batch of events',
    description: [
      'A consumer has one leased batch at a time. Another request waits for its end; after its own `wait` it gets an empty answer with `leased`.',
      'An unacknowledged batch is delivered again after its lease expires.',
      'The first request creates the consumer, positioned at the first event. Events that the filter of a request skips are skipped permanently,',
      'whatever later filters say.',
    ].join(' '),
    body: {
      schema: batchRequestSchema,
      what: 'the request for a batch',
      example: { limit: 100, wait: 30, leaseSeconds: 60, filter: { kinds: ['payment'] } },
      isOptional: true,
    },
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
  },
  acknowledgeBatch: {
    ...ofOne,
    method: 'post',
    path: '/v1/consumers/:name/ack',
    recording: 'off',
    summary: 'Acknowledge a batch or a part of it',
    description: 'The new position is on disk before the answer is sent.',
    body: { schema: acknowledgmentSchema, what: 'the acknowledgment', example: { batch: 'bat_0123456789' } },
    answers: {
      200: consumerAnswer,
      409: { description: 'The batch is not leased: it was acknowledged, has expired, or the consumer was moved.' },
    },
  },
})
