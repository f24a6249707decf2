import { z } from 'zod'
import { DELIVERY_FORMATS, DELIVERY_ORDERS, ON_EXHAUSTED } from '../../domain/destination.ts'
import { idBehind, limit } from '../http/query.ts'
import { clientIdSchema, environment, numbered, pageOf, time } from '../http/schema-parts.ts'

const circuit = z.enum(['closed', 'open']).describe('open: it failed so often that only a probe is sent to it')
const state = z.enum(['active', 'paused', 'retired', 'deleted'])

export const destinationSchema = z
  .strictObject({
    id: numbered('dst'),
    name: z.string(),
    url: z.string(),
    state,
    pauseReason: z.string().nullable(),
    kinds: z.array(z.string()).nullable().describe('null: every kind but probe and operator'),
    environments: z.array(environment).nullable().describe('null: every environment'),
    subjects: z
      .strictObject({ exact: z.array(z.string()), prefix: z.array(z.string()) })
      .nullable()
      .describe('null: every event'),
    format: z.enum(DELIVERY_FORMATS),
    timeoutMs: z.int(),
    concurrency: z.int(),
    rateLimit: z.int().nullable().describe('Deliveries a second; null: no bound'),
    scheduleMs: z.array(z.int()).nullable().describe("null: the gateway's own schedule"),
    order: z.enum(DELIVERY_ORDERS),
    onExhausted: z.enum(ON_EXHAUSTED),
    circuit,
    hasAuthorities: z.boolean().describe('Its certificate may come only from authorities of its own'),
    headers: z.array(z.string()).describe('Names of its extra headers; their values are never shown'),
    previousSecretUntil: time.nullable().describe('Until when the secret before the last rotation signs too'),
    origin: z.enum(['configuration', 'operator', 'registration']),
    registration: z.uuid().nullable().describe("Its id in the service's contract; null: it was not made through that"),
    owner: clientIdSchema
      .nullable()
      .describe("The client whose own it is; null: the operator's, or the configuration file's"),
    createdAt: time,
  })
  .meta({ id: 'Destination', description: 'Where events are forwarded to.' })

const secret = z.string().describe('Standard Webhooks secret: verify signatures with it')

export const destinationWithSecretSchema = z
  .strictObject({ ...destinationSchema.shape, secret })
  .meta({ id: 'DestinationWithSecret', description: 'A destination with its secret, which is shown this once.' })

const backlog = {
  waiting: z.int().min(0).describe('Deliveries that wait'),
  blocked: z.int().min(0).describe('Of them those behind another one of their subject'),
  oldestWaitingSince: time.nullable(),
}

export const destinationPageSchema = pageOf(
  'DestinationPage',
  z
    .strictObject({ ...destinationSchema.shape, ...backlog })
    .meta({ id: 'ListedDestination', description: 'A destination with what waits for it.' }),
  numbered('dst').nullable().describe('Pass it as after; null: there is no destination yet'),
)

const latency = z.number().min(0).nullable()

export const destinationStatsSchema = z
  .strictObject({
    id: numbered('dst'),
    name: z.string(),
    state,
    circuit,
    circuitOpenedAt: time.nullable(),
    attempts: z.int().min(0).describe('So many of the last ones are counted here'),
    successRate: z.number().min(0).max(1).nullable(),
    latencyMs: z.strictObject({ p50: latency, p95: latency, p99: latency }),
    sending: z.int().min(0).describe('Attempts under way'),
    ...backlog,
  })
  .meta({ id: 'DestinationStats', description: 'How sending goes, since the gateway started.' })

export const secretsSchema = z
  .strictObject({ secrets: z.array(secret) })
  .meta({ id: 'Secrets', description: 'What it signs with now; behind the first what still signs beside it.' })

export const testAnswerSchema = z
  .strictObject({
    ok: z.boolean(),
    status: z.int().nullable().describe('HTTP status; null: there was no answer'),
    error: z.string().nullable(),
    durationMs: z.number().min(0),
    answer: z.string().describe('The beginning of the answer'),
  })
  .meta({ id: 'TestAnswer', description: 'What came of a test event.' })

export const destinationQuerySchema = z.strictObject({ after: idBehind('dst'), limit })
