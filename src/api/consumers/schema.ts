import { z } from 'zod'
import { MAX_LEASE_MS } from '../../domain/consumer.ts'
import { parseTime, TIME_FORMS } from '../../platform/time.ts'
import { eventFilterSchema } from '../events/filter-schema.ts'
import { eventSchema } from '../events/schema.ts'
import { limit, MAX_LIMIT, text } from '../http/query.ts'
import { beginningOf, checked, clientIdSchema, hintSchema, time } from '../http/schema-parts.ts'

const batchId = z.string().regex(/^bat_[0-9a-z]{10}$/)
const place = 'a cursor or an event id: everything up to it is processed'

/** The body of `POST /v1/consumers/:name/batches`. */
export const batchRequestSchema = z
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

const leaseSchema = z.strictObject({ until: time.describe('When the lease expires') }).meta({ id: 'Lease' })

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
export const acknowledgmentSchema = z
  .strictObject({
    batch: z.string(),
    position: z
      .string()
      .optional()
      .describe(
        `To acknowledge a part of the batch, ${place}; the rest is delivered again. The position of the consumer gives the whole batch back`,
      ),
  })
  .meta({ id: 'Acknowledgment' })

/** The body of `POST /v1/consumers/:name/seek`. */
export const seekSchema = z
  .strictObject({
    position: z.string().optional().describe(`start, latest, ${place}`),
    time: checked((text) => (parseTime(text) === null ? TIME_FORMS : null))
      .optional()
      .describe('Instead of a position: continue with events received then or later'),
  })
  .refine(({ position, time }) => (position === undefined) !== (time === undefined), 'give either a position or a time')
  .meta({ id: 'Seek' })

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

export const consumerListSchema = beginningOf('ConsumerList', consumerSchema)

export const consumerListQuerySchema = z.strictObject({ limit })

export const consumerQuerySchema = z.strictObject({
  owner: text(
    'Owner of the consumer: a client by id or name, or `operator`. Default: the caller. Only operators may name another owner.',
  ),
})
