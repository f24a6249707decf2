import type { Operation } from '../http/endpoint.ts'
import { JSON_TYPE } from '../http/json-body.ts'
import {
  confirmedClockSchema,
  pruneRequestSchema,
  redactionRequestSchema,
  redactionSchema,
  removalCountSchema,
  removalSchema,
} from './schema.ts'

const common = { tag: 'Storage', access: 'scopes', errors: 'problem' } as const

/** For the operator alone. */
export const RETENTION_OPERATIONS: readonly Operation[] = [
  {
    ...common,
    ...{ id: 'prune', method: 'post', path: '/v1/storage/prune' },
    summary: 'Remove what is old enough now',
    description: 'In the background, behind everything else that is written. It happens by itself, too, all the time.',
    body: { schema: pruneRequestSchema, types: [JSON_TYPE], isRequired: false, example: { dryRun: true } },
    answers: {
      200: { description: 'Only counted, as dryRun asks.', schema: removalCountSchema },
      202: { description: 'It has begun.', schema: removalSchema },
    },
  },
  {
    ...common,
    ...{ id: 'showRemoval', method: 'get', path: '/v1/storage/prune' },
    summary: 'Show how far the removal is',
    answers: { 200: { description: 'The removal under way, or else the latest.', schema: removalSchema } },
  },
  {
    ...common,
    ...{ id: 'confirmClock', method: 'post', path: '/v1/storage/confirm-clock' },
    summary: 'Confirm that the clock is right',
    description:
      'For a gateway that was off for more than 7 days, or whose clock moved ahead by more than a day: removal and expiry by age go on.',
    answers: { 200: { description: 'The clock is believed.', schema: confirmedClockSchema } },
  },
  {
    ...common,
    ...{ id: 'redact', method: 'post', path: '/v1/storage/redact' },
    summary: 'Remove the data of a subject',
    description: [
      'For good, whatever else was decided: bodies, what destinations answered, and what is held back. Deliveries that wait are canceled; one that',
      'is being sent just now may still arrive. Hashes and metadata stay, the subject itself too. Backups and logs are not touched, and what was',
      'delivered or polled is with those who got it.',
    ].join(' '),
    body: {
      schema: redactionRequestSchema,
      ...{ types: [JSON_TYPE], isRequired: true },
      example: { subject: 'E12345678202601311200abcdef12345', dryRun: true },
    },
    answers: { 200: { description: 'What was removed, or would be.', schema: redactionSchema } },
  },
]
