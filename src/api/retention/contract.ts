import { contracts } from '../http/contract.ts'
import {
  confirmedClockSchema,
  pruneRequestSchema,
  redactionRequestSchema,
  redactionSchema,
  removalCountSchema,
  removalSchema,
} from './schema.ts'

const common = { tag: 'Storage', access: 'operator', errors: 'problem' } as const

/** Their dry runs only read. */
export const REMOVALS = contracts({
  prune: {
    ...common,
    method: 'post',
    path: '/v1/storage/prune',
    summary: 'Start retention now',
    action: 'remove aged data',
    details: ['dryRun'],
    description:
      'Runs in the background, with lower priority than all other writes. The gateway also runs it by itself, continuously.',
    body: { schema: pruneRequestSchema, what: 'the request', example: { dryRun: true }, isOptional: true },
    answers: {
      200: { description: 'The count, for a dry run.', schema: removalCountSchema },
      202: { description: 'The removal was started.', schema: removalSchema },
    },
  },
  redact: {
    ...common,
    method: 'post',
    path: '/v1/storage/redact',
    summary: 'Redact a subject',
    action: 'redact a subject',
    // Without the subject, which may be what is redacted.
    details: ['institution', 'environment', 'dryRun'],
    description: [
      'Permanent. Removes bodies, recorded responses of destinations and quarantined facts, and cancels pending deliveries; an attempt in progress may',
      'still arrive. Hashes, metadata and the subject itself stay. Backups, logs and copies at destinations and pollers are not changed.',
    ].join(' '),
    body: {
      schema: redactionRequestSchema,
      what: 'the redaction',
      example: { subject: 'E12345678202601311200abcdef12345', dryRun: true },
    },
    answers: { 200: { description: 'What was removed, or for a dry run would be.', schema: redactionSchema } },
  },
})

export const STORAGE_STATES = contracts({
  showRemoval: {
    ...common,
    method: 'get',
    path: '/v1/storage/prune',
    summary: 'Show the progress of retention',
    answers: { 200: { description: 'The running removal, or the latest one.', schema: removalSchema } },
  },
  confirmClock: {
    ...common,
    method: 'post',
    path: '/v1/storage/confirm-clock',
    summary: 'Confirm the clock',
    action: 'confirm the clock',
    description:
      'After a stop of more than 7 days, or a clock change of more than a day, retention and expiry pause until the clock is confirmed.',
    answers: { 200: { description: 'The clock is confirmed.', schema: confirmedClockSchema } },
  },
})
