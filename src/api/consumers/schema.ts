import { z } from 'zod'
import { parseTime } from '../../platform/time.ts'
import { eventFilterSchema } from '../events/filter-schema.ts'
import { eventSchema } from '../events/schema.ts'
import { limit, MAX_LIMIT, text } from '../http/query.ts'
import { beginningOf, checked, clientIdSchema, time } from '../http/schema-parts.ts'

const MAX_LEASE_SECONDS = 3600
const batchId = z.string().regex(/^bat_[0-9a-z]{10}$/)
const place = 'a cursor, or the id of an event: everything up to it is dealt with'

/** The body of `POST /v1/consumers/:name/batches`. */
export const batchRequestSchema = z
  .strictObject({
    limit: z.int().min(1).max(MAX_LIMIT).default(100).describe('How many events to give at most'),
    wait: z.int().min(0).max(30).default(0).describe('For how many seconds the request is held where there is nothing'),
    leaseSeconds: z
      .int()
      .min(1)
      .max(MAX_LEASE_SECONDS)
      .default(60)
      .describe('How long the batch is lent: it comes again unless it is acknowledged by then'),
    filter: eventFilterSchema.default({}),
  })
  .meta({ id: 'BatchRequest' })

export const batchSchema = z
  .strictObject({
    batch: batchId.nullable().describe('To acknowledge it by; null: there is nothing, or another batch is out'),
    data: z.array(eventSchema),
    expiresAt: time.nullable(),
  })
  .meta({ id: 'Batch', description: 'Events lent to a consumer.' })

/** The body of `POST /v1/consumers/:name/ack`. */
export const acknowledgmentSchema = z
  .strictObject({
    batch: z.string(),
    position: z.string().optional().describe(`For a part of the batch, ${place}; the rest comes again`),
  })
  .meta({ id: 'Acknowledgment' })

/** The body of `POST /v1/consumers/:name/seek`. */
export const seekSchema = z
  .strictObject({
    position: z.string().optional().describe(`start, latest, ${place}`),
    time: checked((text) => (parseTime(text) === null ? 'an ISO 8601 time such as 2026-01-31T12:00:00Z' : null))
      .optional()
      .describe('In place of a position: what was received then or later comes'),
  })
  .refine(({ position, time }) => (position === undefined) !== (time === undefined), 'give a position, or a time')
  .meta({ id: 'Seek' })

export const consumerSchema = z
  .strictObject({
    name: z.string(),
    owner: clientIdSchema.nullable().describe("The client whose own it is; null: the operator's"),
    position: z.string().describe('A cursor: everything up to it is dealt with, or was passed over by a filter'),
    behind: z.int().min(0).describe('How many events stand behind its position, of all kinds'),
    batchExpiresAt: time.nullable().describe('Until when a batch is out; null: none is'),
    createdAt: time,
    acknowledgedAt: time.nullable(),
  })
  .meta({ id: 'Consumer', description: 'A named reader whose position is kept here.' })

export const consumerListSchema = beginningOf('ConsumerList', consumerSchema)

export const consumerListQuerySchema = z.strictObject({ limit })

export const consumerQuerySchema = z.strictObject({
  owner: text("Whose consumer is meant: a client's id, or `operator`. Left out: your own. Others' are for operators."),
})
