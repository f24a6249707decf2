import { z } from 'zod'
import { DISK_LEVELS } from '../../domain/disk-pressure.ts'
import { CERTIFICATE_SETS } from '../../domain/expiry.ts'
import { LIGHTS, OVERVIEW_MINUTES } from '../../domain/overview/overview.ts'
import { REASON_CODES } from '../../domain/overview/reasons.ts'
import { configurationSchema, environment, institution, numbered, time } from '../http/schema-parts.ts'

const ms = z.number().min(0)
const seconds = z.int().min(0)

const reasonSchema = z
  .strictObject({
    severity: z.enum(['problem', 'warning']),
    code: z.enum(REASON_CODES).describe('Stable'),
    subject: z.string().nullable().describe('What it is about, such as the name of a destination; null: the gateway'),
    about: z
      .string()
      .nullable()
      .describe(
        'Id of the destination; of a consumer the id of its owner, or operator, and its name: operator/books; null: it is about neither',
      ),
    value: z.number().nullable().describe('Seconds, days or a number of things, as the text says; null: none'),
    detail: z.string().nullable().describe('Words of the part that has the problem; null: the text says it all'),
    until: z
      .string()
      .nullable()
      .describe(
        'Until about when the first callback that was not taken is sent again: 2026-11-27T14:00Z; null: unknown',
      ),
    text: z.string(),
    nextStep: z.string().describe('What to do'),
    others: z.int().min(0).describe('Further subjects with the same reason that are not listed'),
  })
  .meta({ id: 'OverviewReason', description: 'Why the light is not green.' })

const destinationSchema = z
  .strictObject({
    id: numbered('dst'),
    name: z.string(),
    owner: z.string().nullable().describe('Id of the client that owns it; null: the operator'),
    state: z.enum(['active', 'paused']),
    circuit: z.enum(['closed', 'open']).describe('open: the destination keeps failing, and only probes are sent'),
    pending: z.int().min(0).describe('Deliveries that wait for their time'),
    blocked: z.int().min(0).describe('Deliveries behind another one of their subject'),
    oldestSeconds: seconds.nullable().describe('Age of the oldest pending delivery; null: none is pending'),
    failing: z
      .enum(['warning', 'problem'])
      .nullable()
      .describe(
        'It takes nothing; problem: for more than 15 minutes while something waits; null: it does, or nothing was sent',
      ),
  })
  .meta({ id: 'OverviewDestination' })

const certificateSchema = z
  .strictObject({
    set: z.enum(CERTIFICATE_SETS),
    name: z.string().describe('The file, the destination or the listener'),
    institution,
    environment: environment.nullable(),
    daysLeft: z.int().nullable().describe('Negative: it has expired; null: the file cannot be read'),
  })
  .meta({ id: 'OverviewCertificate' })

const outageSchema = z
  .strictObject({
    cause: z.enum(['down', 'refusing']).describe('down: no gateway ran; refusing: callbacks were answered 503'),
    beganAt: time,
    endedAt: time.nullable().describe('null: it goes on'),
    reconciledAt: time.nullable().describe('When the service was asked for what it may have lost; null: not yet'),
    windows: z
      .array(
        z.strictObject({
          retries: z.enum(['short', 'long']),
          lostFrom: time.nullable().describe('Callbacks first sent since then may be lost; null: none is'),
          lostThrough: time.nullable(),
          closesAt: time.describe(
            'When the service gives up the first callback, unless one of its attempts is taken before',
          ),
          retriesUntil: time.describe('Until when it sends again what came in the outage'),
        }),
      )
      .describe('One for each schedule of service.reconcile.retries'),
  })
  .meta({ id: 'OverviewOutage', description: 'A time in which callbacks may not have been accepted.' })

export const overviewSchema = z
  .strictObject({
    at: time,
    light: z.enum(LIGHTS).describe('red: at least one problem; yellow: at least one warning'),
    reasons: z.array(reasonSchema).describe('Problems first; empty when the light is green'),
    callbacksPerMinute: z
      .record(z.string(), z.array(z.int().min(0)))
      .describe(
        `Accepted callbacks by kind (of a named institution bank-a/payment) since the start, of at most ${OVERVIEW_MINUTES} minutes; the current one is the last`,
      ),
    waitingPerMinute: z
      .array(z.int().min(0).nullable())
      .describe('Most deliveries that waited in each minute, as in callbacksPerMinute; null: unknown'),
    acknowledgeLatency: z
      .strictObject({
        p50: ms.nullable(),
        p99: ms.nullable(),
        p99PerMinute: z.array(ms.nullable()).describe('As in callbacksPerMinute; null: no callback came'),
      })
      .describe('Time from the end of a callback to its 200 in ms, of the last 5 minutes; null: no callback came'),
    destinations: z.array(destinationSchema).describe('Those with the oldest pending delivery first'),
    silentKinds: z
      .array(
        z.strictObject({
          kind: z.string(),
          institution,
          lastReceivedAt: time.nullable().describe('null: no callback of the kind has ever come'),
        }),
      )
      .describe('Kinds that are silent for longer than their alertAfter'),
    outages: z
      .array(outageSchema)
      .describe(
        'Until the service sends nothing of them again, and was asked for what they may have lost. The newest first',
      ),
    certificates: z
      .array(certificateSchema)
      .describe('Without replaced ones; those that end first, first. As of the last check, at most an hour ago'),
    freeSpace: z
      .strictObject({
        level: z.enum(DISK_LEVELS).describe('What is no longer written for lack of space'),
        freeBytes: z.int().min(0).nullable().describe('null: unknown'),
        minFreeBytes: z.int().min(0).describe('Below it the gateway saves space (storage.minFreeSpace)'),
      })
      .nullable()
      .describe('The file system of the database; null: the database is on PostgreSQL'),
    configuration: configurationSchema,
    search: z
      .strictObject({ lagEvents: z.int().min(0), lagSeconds: z.number().min(0), isRebuilding: z.boolean() })
      .nullable()
      .describe('How far the search index is behind; null: unknown'),
  })
  .meta({ id: 'Overview', description: 'The state of the gateway at one glance.' })

export const overviewStreamSchema = z.string().meta({
  id: 'OverviewStream',
  description: '`event: overview` has an Overview in `data`, every 2 seconds.',
})
