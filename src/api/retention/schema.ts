import { z } from 'zod'
import type { RemovalProgress } from '../../domain/retention.ts'
import { environment, time, type View } from '../http/schema-parts.ts'

const payloads = z.int().min(0).describe('Events whose data goes, or went; their metadata may stay')
const events = z.int().min(0).describe('Events of which everything goes, or went')
const kept = z
  .int()
  .min(0)
  .describe('Callbacks that are old enough and stay: something of them waits to be delivered, or was released lately')

/** The body of `POST /v1/storage/prune`. */
export const pruneRequestSchema = z
  .strictObject({ dryRun: z.boolean().default(false).describe('Only count') })
  .meta({ id: 'PruneRequest' })

export const removalCountSchema = z
  .strictObject({ payloads, events, kept })
  .meta({ id: 'RemovalCount', description: 'What retention would remove now.' })

export const removalSchema = z
  .strictObject({
    state: z
      .enum(['none', 'running', 'done', 'failed', 'stopped'])
      .describe('none: nothing was removed since the start'),
    payloads,
    events,
    kept,
    problem: z.string().nullable().describe('Why it failed: what is left is tried again; null: it did not'),
  })
  .meta({ id: 'Removal', description: 'How far the removal of what is old enough is.' })

export const confirmedClockSchema = z
  .strictObject({ clock: time, wasImplausible: z.boolean().describe('False: it was believed already') })
  .meta({ id: 'ConfirmedClock', description: 'The clock that is believed from now on.' })

/** The body of `POST /v1/storage/redact`. */
export const redactionRequestSchema = z
  .strictObject({
    subject: z.string().min(1, 'must not be empty').describe('The business id whose data goes'),
    environment: environment.optional().describe('Only of this environment'),
    dryRun: z.boolean().default(false).describe('Only count'),
  })
  .meta({ id: 'RedactionRequest' })

export const redactionSchema = z
  .strictObject({
    events: z.int().min(0).describe('Events whose data goes, or went'),
    quarantined: z.int().min(0).describe('Facts that are or were held back, whose data goes, or went'),
    canceled: z.int().min(0).nullable().describe('Deliveries that waited and are sent no more; null: only counted'),
    logEmptied: z
      .boolean()
      .nullable()
      .describe(
        'Nothing is left in the log of the database either; false: somebody was reading in it, and it goes with its next emptying; null: only counted',
      ),
  })
  .meta({ id: 'Redaction', description: "What became of a subject's data." })

export function removalView(progress: RemovalProgress | null): View<typeof removalSchema> {
  return progress ?? { state: 'none', payloads: 0, events: 0, kept: 0, problem: null }
}
