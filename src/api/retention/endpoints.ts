import type { Clock } from '../../domain/clock.ts'
import type { Pruning } from '../../domain/retention.ts'
import type { Log } from '../../platform/log.ts'
import { iso } from '../../platform/time.ts'
import { membersOf } from '../audit/details.ts'
import { endpoint } from '../http/endpoint.ts'
import { optionalBody, requiredBody } from '../http/json-body.ts'
import type { View } from '../http/schema-parts.ts'
import { countOf, type RedactionOptions, redactAll } from './redaction.ts'
import {
  confirmedClockSchema,
  pruneRequestSchema,
  redactionRequestSchema,
  redactionSchema,
  removalCountSchema,
  removalSchema,
  removalView,
} from './schema.ts'

export interface RetentionEndpointsOptions extends RedactionOptions {
  readonly pruning: Pruning
  readonly clock: Clock
  readonly log: Log
}

const common = { tag: 'Storage', access: 'operator', errors: 'problem' } as const

export function retentionEndpoints(options: RetentionEndpointsOptions) {
  return {
    prune: prune(options),
    showRemoval: showRemoval(options),
    confirmClock: confirmClock(options),
    redact: redact(options),
  }
}

function prune({ pruning }: RetentionEndpointsOptions) {
  return endpoint({
    ...common,
    method: 'post',
    path: '/v1/storage/prune',
    summary: 'Start retention now',
    details: (call) => membersOf(call.body, ['dryRun']),
    description:
      'Runs in the background, with lower priority than all other writes. The gateway also runs it by itself, continuously.',
    body: optionalBody(pruneRequestSchema, { what: 'the request', example: { dryRun: true } }),
    answers: {
      200: { description: 'The count, for a dry run.', schema: removalCountSchema },
      202: { description: 'The removal was started.', schema: removalSchema },
    },
    async run({ body }) {
      if (body.dryRun) return { json: await pruning.count() }
      return { status: 202, json: removalView(pruning.prune()) }
    },
  })
}

function showRemoval({ pruning }: RetentionEndpointsOptions) {
  return endpoint({
    ...common,
    method: 'get',
    path: '/v1/storage/prune',
    summary: 'Show the progress of retention',
    answers: { 200: { description: 'The running removal, or the latest one.', schema: removalSchema } },
    run: () => ({ json: removalView(pruning.progress()) }),
  })
}

function confirmClock({ clock, now }: RetentionEndpointsOptions) {
  return endpoint({
    ...common,
    method: 'post',
    path: '/v1/storage/confirm-clock',
    summary: 'Confirm the clock',
    description:
      'After a stop of more than 7 days, or a clock change of more than a day, retention and expiry pause until the clock is confirmed.',
    answers: { 200: { description: 'The clock is confirmed.', schema: confirmedClockSchema } },
    async run() {
      const { problem } = clock.state()
      await clock.confirm()
      const view: View<typeof confirmedClockSchema> = { clock: iso(now()), wasImplausible: problem !== null }
      return { json: view }
    },
  })
}

function redact(options: RetentionEndpointsOptions) {
  return endpoint({
    ...common,
    method: 'post',
    path: '/v1/storage/redact',
    summary: 'Redact a subject',
    // Without the subject, which may be what is redacted.
    details: (call) => membersOf(call.body, ['institution', 'environment', 'dryRun']),
    description: [
      'Permanent. Removes bodies, recorded responses of destinations and quarantined facts, and cancels pending deliveries; an attempt in progress may',
      'still arrive. Hashes, metadata and the subject itself stay. Backups, logs and copies at destinations and pollers are not changed.',
    ].join(' '),
    body: requiredBody(redactionRequestSchema, {
      what: 'the redaction',
      example: { subject: 'E12345678202601311200abcdef12345', dryRun: true },
    }),
    answers: { 200: { description: 'What was removed, or for a dry run would be.', schema: redactionSchema } },
    async run({ body }) {
      const { subject, institution, environment } = body
      const search = { subject, institution: institution ?? null, environment: environment ?? null }
      const view = body.dryRun ? await countOf(options.store, search) : await redactAll(search, options)
      // Without the subject: the log would keep what the redaction removes.
      if (!body.dryRun) options.log.info({ institution, environment, ...view }, 'subject.redacted')
      return { json: view }
    },
  })
}
