import type { Clock } from '../../domain/clock.ts'
import type { Pruning } from '../../domain/retention.ts'
import type { Log } from '../../platform/log.ts'
import { iso } from '../../platform/time.ts'
import { sendJson } from '../http/answer.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { optionalBody, requiredBody } from '../http/json-body.ts'
import type { View } from '../http/schema-parts.ts'
import { checkBody } from '../http/violations.ts'
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

export function retentionEndpoints(options: RetentionEndpointsOptions): readonly Endpoint[] {
  return [prune(options), showRemoval(options), confirmClock(options), redact(options)]
}

function prune({ pruning }: RetentionEndpointsOptions): Endpoint {
  return {
    ...{ ...common, id: 'prune', method: 'post', path: '/v1/storage/prune' },
    summary: 'Remove what is old enough now',
    description: 'In the background, behind everything else that is written. It happens by itself, too, all the time.',
    body: optionalBody(pruneRequestSchema, { dryRun: true }),
    answers: {
      200: { description: 'Only counted, as dryRun asks.', schema: removalCountSchema },
      202: { description: 'It has begun.', schema: removalSchema },
    },
    async handler(request, response) {
      const { dryRun } = checkBody(pruneRequestSchema, request.body ?? {}, { what: 'the request' })
      if (dryRun) return sendJson(response, await pruning.count())
      sendJson(response.status(202), removalView(pruning.prune()))
    },
  }
}

function showRemoval({ pruning }: RetentionEndpointsOptions): Endpoint {
  return {
    ...{ ...common, id: 'showRemoval', method: 'get', path: '/v1/storage/prune' },
    summary: 'Show how far the removal is',
    answers: { 200: { description: 'The removal under way, or else the latest.', schema: removalSchema } },
    handler(_request, response) {
      sendJson(response, removalView(pruning.progress()))
    },
  }
}

function confirmClock({ clock, now }: RetentionEndpointsOptions): Endpoint {
  return {
    ...{ ...common, id: 'confirmClock', method: 'post', path: '/v1/storage/confirm-clock' },
    summary: 'Confirm that the clock is right',
    description:
      'For a gateway that was off for more than 7 days, or whose clock moved ahead by more than a day: removal and expiry by age go on.',
    answers: { 200: { description: 'The clock is believed.', schema: confirmedClockSchema } },
    async handler(_request, response) {
      const { problem } = clock.state()
      await clock.confirm()
      const view: View<typeof confirmedClockSchema> = { clock: iso(now()), wasImplausible: problem !== null }
      sendJson(response, view)
    },
  }
}

function redact(options: RetentionEndpointsOptions): Endpoint {
  return {
    ...{ ...common, id: 'redact', method: 'post', path: '/v1/storage/redact' },
    summary: 'Remove the data of a subject',
    description: [
      'For good, whatever else was decided: bodies, what destinations answered, and what is held back. Deliveries that wait are canceled; one that',
      'is being sent just now may still arrive. Hashes and metadata stay, the subject itself too. Backups and logs are not touched, and what was',
      'delivered or polled is with those who got it.',
    ].join(' '),
    body: requiredBody(redactionRequestSchema, { subject: 'E12345678202601311200abcdef12345', dryRun: true }),
    answers: { 200: { description: 'What was removed, or would be.', schema: redactionSchema } },
    async handler(request, response) {
      const body = checkBody(redactionRequestSchema, request.body, { what: 'the redaction' })
      const search = { subject: body.subject, environment: body.environment ?? null }
      const view = body.dryRun ? await countOf(options.store, search) : await redactAll(search, options)
      // Without the subject: the log would keep what the redaction removes.
      if (!body.dryRun) options.log.info({ environment: search.environment ?? undefined, ...view }, 'subject.redacted')
      sendJson(response, view)
    },
  }
}
