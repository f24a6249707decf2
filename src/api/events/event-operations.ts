import { ENVIRONMENTS } from '../../domain/event.ts'
import type { Operation } from '../http/endpoint.ts'
import { cursor, limit, listOf, oneOf, text, time, wait } from '../http/query.ts'
import { eventDeliveriesSchema, eventDetailSchema, eventPageSchema, eventReplaySchema } from './schema.ts'

export const eventQuery = {
  after: cursor,
  limit,
  kind: listOf('Only these kinds. probe and operator are given only where they are named.'),
  environment: oneOf(ENVIRONMENTS, 'Only events of this environment.'),
  subject: text('Only events about this business id.'),
  status: text('Only events with this status.'),
  receivedFrom: time('Only events received then or later.'),
  receivedTo: time('Only events received before.'),
  wait,
}

export const eventReplayQuery = {
  destination: text(
    'Name or id of the destination. Left out: every destination that it was owed to; a client without operations.write must name one of its own.',
  ),
}

const common = { tag: 'Events', access: 'scopes', errors: 'problem' } as const
const segments = { id: 'The event, such as evt_1_0123456789.' }

/** What keeps a stranger's page from being one of ours. */
export const ORIGINAL_HEADERS = {
  'content-disposition': alwaysIs('attachment', 'It is a file, never a page.'),
  'content-security-policy': alwaysIs("default-src 'none'; sandbox", 'It loads and runs nothing.'),
  'x-content-type-options': alwaysIs('nosniff', 'Nobody guesses another content type.'),
}

function alwaysIs(value: string, description: string) {
  return { description, required: true, schema: { const: value } }
}

export const EVENT_OPERATIONS: readonly Operation[] = [
  {
    ...common,
    ...{ id: 'listEvents', method: 'get', path: '/v1/events' },
    summary: 'List or poll for events',
    description:
      'Oldest first. Keep `next` and pass it as `after` the next time: nothing is missed and nothing comes twice, also when the filter skips much. A page ends at 4 MiB, if not at its limit.',
    query: eventQuery,
    answers: {
      200: { description: 'A page of events.', schema: eventPageSchema },
      410: {
        description:
          'Retention removed events of the kinds and the environment asked for before they were read. Said once: `next` of the answer goes on.',
      },
      503: { description: 'The store cannot be used just now, or too many requests wait already.' },
    },
  },
  {
    ...common,
    ...{ id: 'showEvent', method: 'get', path: '/v1/events/:id', segments },
    summary: 'Show an event with its evidence',
    answers: { 200: { description: 'The event.', schema: eventDetailSchema } },
  },
  {
    ...common,
    ...{ id: 'showOriginal', method: 'get', path: '/v1/events/:id/original', segments },
    summary: 'Get what the service sent, byte by byte',
    description:
      'The body of the callback that the event came in, with all of its facts. Its content type is that of the callback; application/octet-stream where the callback had none, or one that is no media type. Whatever it is, no browser shows it as a page of this API.',
    answers: {
      200: {
        description: 'The bytes as they were received.',
        type: '*/*',
        headers: ORIGINAL_HEADERS,
      },
      410: { description: 'It is not kept any more as it came: retention or a redaction took data from it.' },
    },
  },
  {
    ...common,
    ...{ id: 'listEventDeliveries', method: 'get', path: '/v1/events/:id/deliveries', segments },
    summary: 'List the deliveries of an event with their tries',
    answers: { 200: { description: 'Its deliveries.', schema: eventDeliveriesSchema } },
  },
  {
    ...common,
    ...{ id: 'replayEvent', method: 'post', path: '/v1/events/:id/replay', segments },
    summary: 'Deliver an event once more',
    query: eventReplayQuery,
    answers: {
      200: { description: 'It is owed again.', schema: eventReplaySchema },
      409: { description: 'Its destination takes nothing any more, or its data was removed.' },
    },
  },
]
