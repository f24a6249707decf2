import { z } from 'zod'
import { DELIVERY_CHOICES, DELIVERY_STATES, DELIVERY_WAITS } from '../../domain/delivery.ts'
import { idBehind, instant, limit, oneOf, order, text } from '../http/query.ts'
import { environment, eventIdSchema, hintSchema, institution, numbered, pageOf, time } from '../http/schema-parts.ts'
import { EXCERPT, excerptSchema } from './response-body.ts'

/** For a circuit that is open. */
export const NEXT_PROBE = 'when the next probe may be sent; null: as soon as a delivery is due, or no gateway runs'
/** For filters. */
export const FAILING_OR_WAITING =
  'failing: pending, and the last attempt failed; waiting: any other that is pending or blocked.'
const httpStatus = z.int().min(100).max(999).nullable()

export const deliverySchema = z
  .strictObject({
    id: numbered('dlv'),
    event: eventIdSchema,
    kind: z.string(),
    institution,
    environment,
    subject: z.string().nullable(),
    destination: numbered('dst'),
    destinationName: z.string(),
    state: z.enum(DELIVERY_STATES),
    attempts: z.int().min(0),
    nextAttemptAt: time.nullable().describe('When it is due; what it waits for may delay it further'),
    waitsFor: z
      .enum(DELIVERY_WAITS)
      .nullable()
      .describe(
        [
          'subject: another delivery of its subject; resume: its destination is paused;',
          'circuit: its destination keeps failing, and only probes are sent; null: only its time',
        ].join(' '),
      ),
    nextProbeAt: time.nullable().describe(`With \`waitsFor: circuit\`: ${NEXT_PROBE}`),
    createdAt: time,
    endedAt: time.nullable(),
    reason: z.string().nullable().describe('Why it ended without success; null while it is pending, or after success'),
    lastStatus: httpStatus,
    lastError: z.string().nullable(),
    lastAnswer: excerptSchema.nullable().describe(`${EXCERPT}. Of the latest attempt; null: none, or hidden`),
  })
  .meta({ id: 'Delivery', description: 'One event to be sent to one destination.' })

export const attemptSchema = z
  .strictObject({
    attempt: z.int().min(1),
    startedAt: time,
    durationMs: z.number().min(0),
    status: httpStatus.describe('HTTP status; null: no answer'),
    error: z.string().nullable().describe('The error; null after a 2xx'),
    answer: excerptSchema.describe(EXCERPT),
  })
  .meta({ id: 'Attempt', description: 'One attempt at a delivery.' })

export const triedDeliverySchema = z
  .strictObject({ ...deliverySchema.shape, latestAttempts: z.array(attemptSchema) })
  .meta({ id: 'TriedDelivery', description: 'A delivery with its latest attempts, oldest first.' })

export const deliveryPageSchema = pageOf(
  'DeliveryPage',
  deliverySchema,
  numbered('dlv').nullable().describe('Pass it as `after`; null: no deliveries exist yet'),
  { hint: hintSchema },
)

export const retriedSchema = z
  .strictObject({
    retried: numbered('dlv'),
    waitsFor: deliverySchema.shape.waitsFor,
  })
  .meta({ id: 'Retried' })
export const skippedSchema = z.strictObject({ skipped: numbered('dlv') }).meta({ id: 'Skipped' })

export const deliveryQuerySchema = z.strictObject({
  after: idBehind('dlv'),
  limit,
  state: oneOf(DELIVERY_CHOICES, `Only deliveries in this state. ${FAILING_OR_WAITING}`),
  destination: text('Only deliveries to this destination: name or id, including removed destinations.'),
  subject: text('Only deliveries of events about this business id.'),
  from: instant('Only deliveries created at or after this time.'),
  to: instant('Only deliveries created before this time.'),
  order,
})
