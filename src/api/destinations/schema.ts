import { z } from 'zod'
import {
  AUTHENTICATION_FILTERS,
  DELIVERY_FORMATS,
  DELIVERY_ORDERS,
  DESTINATION_ORIGINS,
  ON_EXHAUSTED,
} from '../../domain/destination.ts'
import { EXCERPT, excerptSchema } from '../deliveries/response-body.ts'
import { NEXT_PROBE } from '../deliveries/schema.ts'
import { idBehind, limit, listOf, text } from '../http/query.ts'
import { clientIdSchema, environment, numbered, pageOf, time } from '../http/schema-parts.ts'

const circuit = z.enum(['closed', 'open']).describe('open: deliveries failed so often that only probes are sent')
const state = z.enum(['active', 'paused', 'retired', 'deleted'])

export const destinationSchema = z
  .strictObject({
    id: numbered('dst'),
    name: z.string(),
    url: z.string().describe('`***` for each value in its query, unless the caller may change the destination'),
    state,
    pauseReason: z.string().nullable(),
    kinds: z.array(z.string()).nullable().describe('null: every kind but probe and operator'),
    environments: z.array(environment).nullable().describe('null: every environment'),
    institutions: z.array(z.string()).nullable().describe('null: every institution'),
    subjects: z
      .strictObject({ exact: z.array(z.string()), prefix: z.array(z.string()) })
      .nullable()
      .describe('null: every event'),
    authentication: z.enum(AUTHENTICATION_FILTERS),
    format: z.enum(DELIVERY_FORMATS),
    timeoutMs: z.int(),
    concurrency: z.int(),
    rateLimit: z.int().nullable().describe('Deliveries per second; null: unlimited'),
    scheduleMs: z.array(z.int()).nullable().describe('null: the schedule of the configuration'),
    order: z.enum(DELIVERY_ORDERS),
    onExhausted: z.enum(ON_EXHAUSTED),
    circuit,
    hasAuthorities: z.boolean().describe("Only authorities of the destination's own are trusted for its certificate"),
    headers: z.array(z.string()).describe('Names of the extra headers; their values are never shown'),
    previousSecretUntil: time.nullable().describe('The previous secret also signs until then'),
    origin: z.enum(DESTINATION_ORIGINS),
    registration: z.uuid().nullable().describe("Id in the service's own API; null: created in another way"),
    owner: clientIdSchema.nullable().describe('The client that owns it; null: the operator or the configuration file'),
    createdAt: time,
  })
  .meta({ id: 'Destination', description: 'A URL to which events are forwarded.' })

const secret = z.string().describe('Standard Webhooks secret for verifying signatures')

export const destinationWithSecretSchema = z
  .strictObject({ ...destinationSchema.shape, secret })
  .meta({ id: 'DestinationWithSecret', description: 'A destination with its new secret.' })

const backlog = {
  waiting: z.int().min(0).describe('Pending deliveries'),
  blocked: z.int().min(0).describe('Pending deliveries blocked by another one of their subject'),
  oldestWaitingSince: time.nullable(),
}

const latency = z.number().min(0).nullable()

const stats = {
  attempts: z.int().min(0).describe('Number of latest attempts in these statistics'),
  successRate: z.number().min(0).max(1).nullable(),
  latencyMs: z.strictObject({ p50: latency, p95: latency, p99: latency }),
  sending: z.int().min(0).describe('Attempts in progress'),
}

const statsSchema = z
  .strictObject(stats)
  .meta({ id: 'SendingStats', description: 'Statistics of the latest attempts since the gateway started.' })

export const destinationPageSchema = pageOf(
  'DestinationPage',
  z
    .strictObject({
      ...destinationSchema.shape,
      ...backlog,
      stats: statsSchema.optional().describe('Only with `include=stats`'),
    })
    .meta({ id: 'ListedDestination', description: 'A destination with its backlog.' }),
  numbered('dst').nullable().describe('Pass it as `after`; null: no destinations exist yet'),
)

export const destinationStatsSchema = z
  .strictObject({
    id: numbered('dst'),
    name: z.string(),
    state,
    circuit,
    circuitOpenedAt: time.nullable(),
    nextProbeAt: time.nullable().describe(`While the circuit is open: ${NEXT_PROBE}`),
    node: z
      .string()
      .nullable()
      .describe('The node that sends to it and counts its attempts, where another one answers'),
    ...stats,
    ...backlog,
  })
  .meta({ id: 'DestinationStats', description: 'Delivery statistics since the gateway started.' })

export const secretsSchema = z.strictObject({ secrets: z.array(secret) }).meta({
  id: 'Secrets',
  description: 'The secrets in use: the current one first, then the previous one during an overlap.',
})

/** The body of `POST /v1/destinations/:id/test`. */
export const testEventSchema = z
  .strictObject({
    kind: z.string().min(1).max(100).optional().describe('A kind that the destination receives. Default: operator'),
  })
  .meta({ id: 'TestEvent', description: 'What is sent as a test.' })

export const testAnswerSchema = z
  .strictObject({
    ok: z.boolean(),
    status: z.int().nullable().describe('HTTP status; null: no answer'),
    error: z.string().nullable(),
    durationMs: z.number().min(0),
    answer: excerptSchema.describe(EXCERPT),
  })
  .meta({ id: 'TestAnswer', description: 'The outcome of a test event.' })

export const destinationQuerySchema = z.strictObject({
  after: idBehind('dst'),
  limit,
  origin: listOf(
    'Only destinations of these origins.',
    z.enum(DESTINATION_ORIGINS, { error: `one of ${DESTINATION_ORIGINS.join(', ')}` }),
  ),
  name: text('Only destinations whose name or URL contains this text, without regard to case.'),
  include: listOf('Further members: `stats` adds delivery statistics.', z.enum(['stats'], { error: 'stats' })),
})
