import { contracts } from '../http/contract.ts'
import {
  eventDeliveriesSchema,
  eventDetailSchema,
  eventPageSchema,
  eventQuerySchema,
  eventReplayQuerySchema,
  eventReplaySchema,
  ORIGINAL_HEADERS,
  proofSchema,
  unmaskRequestSchema,
} from './schema.ts'

const common = { tag: 'Events', errors: 'problem' } as const
const one = { ...common, segments: { id: 'Id of the event, such as evt_1_0123456789.' } }
/** With `support.read` alone personal data is masked. */
const MASKED_READ = ['events.read', 'support.read'] as const
const MASKED =
  'For a token with support.read, without events.read, personal data is `***`: configuration, `personalData` of its kind.'

export const EVENT_LISTS = contracts({
  listEvents: {
    ...common,
    method: 'get',
    path: '/v1/events',
    access: MASKED_READ,
    summary: 'List or poll for events',
    description: [
      'Oldest first. Store `next` and pass it as `after` in the next request: no event is missed or repeated, however many events the filter skips.',
      'With `order=desc` newest first: `next` continues with older events, until `more` is false. It reports no events that retention removed.',
      'A page ends at `limit` or at 4 MiB, of masked events at 512 KiB of payloads. With `search` newest first, too; a page may be short or empty although `more` is true: continue with `next`.',
    ].join(' '),
    query: eventQuerySchema,
    answers: {
      200: { description: 'A page of events.', schema: eventPageSchema },
      410: {
        description:
          'Retention removed events that match the kinds, institution and environment before they were read. Answered once: `next` continues after the gap. Not with `order=desc`.',
      },
      503: { description: 'The store is unavailable, or too many requests are waiting.' },
    },
  },
})

export const EVENT_READS = contracts({
  showEvent: {
    ...one,
    method: 'get',
    path: '/v1/events/:id',
    access: MASKED_READ,
    summary: 'Show an event with its evidence',
    description: MASKED,
    answers: { 200: { description: 'The event.', schema: eventDetailSchema } },
  },
  showOriginal: {
    ...one,
    method: 'get',
    path: '/v1/events/:id/original',
    access: ['events.read'],
    summary: 'Get the original callback body',
    description: [
      'The exact body of the callback that contained the event, with all of its facts. The content type is that of the callback, or',
      'application/octet-stream if it had no valid one. The headers keep browsers from rendering it. For a resolved event: the callback of its token.',
    ].join(' '),
    answers: {
      200: {
        description: 'The bytes as received.',
        type: '*/*',
        headers: ORIGINAL_HEADERS,
      },
      410: { description: 'The original body is no longer stored: retention or a redaction removed data.' },
    },
  },
  showProof: {
    ...one,
    method: 'get',
    path: '/v1/events/:id/proof',
    access: ['events.read'],
    summary: 'Show what proves an event',
    answers: { 200: { description: 'The hashed fields and the hashes.', schema: proofSchema, unmaskRequestSchema } },
  },
  listEventDeliveries: {
    ...one,
    method: 'get',
    path: '/v1/events/:id/deliveries',
    access: MASKED_READ,
    summary: 'List the deliveries of an event with their attempts',
    description: 'Without events.read, response bodies of destinations are left out, and personal data is masked.',
    answers: { 200: { description: 'Its deliveries.', schema: eventDeliveriesSchema } },
  },
})

export const EVENT_ACTIONS = contracts({
  unmaskEvent: {
    ...one,
    method: 'post',
    path: '/v1/events/:id/unmask',
    access: ['support.unmask'],
    takesTurn: true,
    summary: 'Show the personal data of an event, with a reason',
    action: 'see the masked data of an event',
    description:
      'The log of actions (`GET /v1/audit`) has the client, the event and the reason before the event is sent.',
    body: {
      schema: unmaskRequestSchema,
      what: 'the request to unmask an event',
      example: { reason: 'The customer asks for the receipt.' },
    },
    answers: { 200: { description: 'The event with its personal data.', schema: eventDetailSchema } },
  },
  replayEvent: {
    ...one,
    method: 'post',
    path: '/v1/events/:id/replay',
    access: ['events.replay', 'support.replay'],
    summary: 'Replay an event',
    action: 'send an event again',
    description:
      'With `support.replay` to any destination that has a delivery of the event; with `events.replay` to any destination of the client.',
    query: eventReplayQuerySchema,
    answers: {
      200: { description: 'The deliveries are pending.', schema: eventReplaySchema },
      409: { description: 'The destination was removed, or the data of the event was.' },
    },
  },
})
