import { z } from 'zod'
import type { RemovalProgress } from '../../domain/retention.ts'
import { environment, time, type View } from '../http/schema-parts.ts'

const payloads = z.int().min(0).describe('Events whose data is removed; their metadata may stay')
const events = z.int().min(0).describe('Events that are removed completely')
const bytes = z
  .int()
  .min(0)
  .describe('Length of the removed request bodies; the database file keeps its size and reuses the space')
const callbacks = z.int().min(0).describe('Callbacks that are removed completely')
const kept = z
  .int()
  .min(0)
  .describe('Callbacks old enough to be removed but kept: they have pending deliveries, or facts released recently')

/** The body of `POST /v1/storage/prune`. */
export const pruneRequestSchema = z
  .strictObject({ dryRun: z.boolean().default(false).describe('Only count (dry run)') })
  .meta({ id: 'PruneRequest' })

export const removalCountSchema = z
  .strictObject({ payloads, bytes, events, callbacks, kept })
  .meta({ id: 'RemovalCount', description: 'What retention would remove now.' })

export const removalSchema = z
  .strictObject({
    state: z.enum(['none', 'running', 'done', 'failed', 'stopped']).describe('none: no removal ran since the start'),
    payloads,
    bytes,
    events,
    callbacks,
    kept,
    problem: z.string().nullable().describe('Why the removal failed, to be retried later; null: it did not'),
  })
  .meta({ id: 'Removal', description: 'Progress of retention.' })

export const confirmedClockSchema = z
  .strictObject({
    clock: time,
    wasImplausible: z.boolean().describe('false: the clock was already considered plausible'),
  })
  .meta({ id: 'ConfirmedClock', description: 'The confirmed clock.' })

/** The body of `POST /v1/storage/redact`. */
export const redactionRequestSchema = z
  .strictObject({
    subject: z.string().min(1, 'must not be empty').describe('The business id whose data is removed'),
    institution: z.string().optional().describe('Only of this institution'),
    environment: environment.optional().describe('Only in this environment'),
    dryRun: z.boolean().default(false).describe('Only count (dry run)'),
  })
  .meta({ id: 'RedactionRequest' })

export const redactionSchema = z
  .strictObject({
    events: z.int().min(0).describe('Events whose data is removed'),
    quarantined: z.int().min(0).describe('Quarantined facts whose data is removed, whatever their state'),
    canceled: z.int().min(0).nullable().describe('Canceled pending deliveries; null: dry run'),
    logEmptied: z
      .boolean()
      .nullable()
      .describe(
        'Whether the write-ahead log is free of the data; false: a reader kept it from being emptied until the next checkpoint; null: dry run, or PostgreSQL, which recycles its log by itself',
      ),
  })
  .meta({ id: 'Redaction', description: 'The outcome of a redaction.' })

export function removalView(progress: RemovalProgress | null): View<typeof removalSchema> {
  return progress ?? { state: 'none', payloads: 0, bytes: 0, events: 0, callbacks: 0, kept: 0, problem: null }
}
