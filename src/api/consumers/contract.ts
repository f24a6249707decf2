import { z } from 'zod'
import { parseTime, TIME_FORMS } from '../../platform/time.ts'
import { contracts } from '../http/contract.ts'
import { limit, text } from '../http/query.ts'
import { beginningOf, checked, clientIdSchema, time, type View } from '../http/schema-parts.ts'

export const PLACE = 'a cursor or an event id: everything up to it is processed'

export const leaseSchema = z.strictObject({ until: time.describe('When the lease expires') }).meta({ id: 'Lease' })

export const consumerSchema = z
  .strictObject({
    name: z.string(),
    owner: clientIdSchema.nullable().describe('The client that owns it; null: the operator'),
    position: z.string().describe('A cursor: everything up to it is processed, or was skipped by a filter'),
    behind: z.int().min(0).describe('Number of events after its position, of all kinds'),
    behindSince: time.nullable().describe('When the first of these events was received; null: there is none'),
    leased: leaseSchema.nullable().describe('The lease of the current batch; null: no batch is leased'),
    createdAt: time,
    acknowledgedAt: time.nullable(),
  })
  .meta({ id: 'Consumer', description: 'A named reader whose position the gateway stores.' })

export type ConsumerView = View<typeof consumerSchema>

/** The body of `POST /v1/consumers/:name/seek`. */
const seekSchema = z
  .strictObject({
    position: z.string().optional().describe(`start, latest, ${PLACE}`),
    time: checked((text) => (parseTime(text) === null ? TIME_FORMS : null))
      .optional()
      .describe('Instead of a position: continue with events received then or later'),
  })
  .refine(({ position, time }) => (position === undefined) !== (time === undefined), 'give either a position or a time')
  .meta({ id: 'Seek' })

export type Seek = z.output<typeof seekSchema>

const query = z.strictObject({
  owner: text(
    'Owner of the consumer: a client by id or name, or `operator`. Default: the caller. Only operators may name another owner.',
  ),
})

const common = { tag: 'Consumers', access: ['events.read'], errors: 'problem' } as const
/** Of one consumer. */
export const ofOne = { ...common, segments: { name: 'The consumer.' } } as const
export const consumerAnswer = { description: 'The consumer.', schema: consumerSchema } as const

export const CONSUMER_READS = contracts({
  listConsumers: {
    ...common,
    method: 'get',
    path: '/v1/consumers',
    summary: 'List consumers',
    description: 'Clients see their own consumers, operators see all.',
    query: z.strictObject({ limit }),
    answers: { 200: { description: 'Consumers.', schema: beginningOf('ConsumerList', consumerSchema) } },
  },
  showConsumer: {
    ...ofOne,
    method: 'get',
    path: '/v1/consumers/:name',
    summary: 'Show a consumer and its lag',
    query,
    answers: { 200: consumerAnswer },
  },
})

export const CONSUMER_CHANGES = contracts({
  seekConsumer: {
    ...ofOne,
    method: 'post',
    path: '/v1/consumers/:name/seek',
    summary: 'Move a consumer',
    description: 'Cancels the current lease. Creates the consumer if it does not exist, unless `owner` is given.',
    action: 'move a consumer',
    details: ['position'],
    query,
    body: { schema: seekSchema, what: 'the seek', example: { position: 'latest' } },
    answers: { 200: consumerAnswer, 409: { description: 'The maximum number of consumers is reached.' } },
  },
  deleteConsumer: {
    ...ofOne,
    method: 'delete',
    path: '/v1/consumers/:name',
    summary: 'Delete a consumer',
    description: 'A new consumer of the same name starts at the first event.',
    action: 'delete a consumer',
    query,
    answers: { 204: { description: 'The consumer was deleted.' } },
  },
})
