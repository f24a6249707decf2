import { REPLAY_STATES } from '../../domain/replay.ts'
import type { Operation } from '../http/endpoint.ts'
import { JSON_TYPE } from '../http/json-body.ts'
import { idBehind, limit, oneOf } from '../http/query.ts'
import { newReplaySchema, replayCountSchema, replayPageSchema, replaySchema } from './schema.ts'

export const replayQuery = {
  after: idBehind('rpl'),
  limit,
  state: oneOf(REPLAY_STATES, 'Only replays in this state.'),
}

const common = { tag: 'Replays', access: 'scopes', errors: 'problem' } as const
const one = { ...common, path: '/v1/replays/:id', segments: { id: 'The replay, such as rpl_1.' } }
const shown = { description: 'The replay.', schema: replaySchema }

export const REPLAY_OPERATIONS: readonly Operation[] = [
  {
    ...common,
    ...{ id: 'createReplay', method: 'post', path: '/v1/replays' },
    summary: 'Deliver many events once more',
    description: [
      'Counts first, then runs in the background, a restart included. What it owes goes behind everything that is new and behind the backlog of',
      'a destination that was away; the subjects of an ordered destination keep their order. A destination gets nothing but what it wants: its',
      'kinds, environments and subjects. What waits already is left as it is; what a removed destination with the same URL and owner got counts',
      'as delivered. Ids are the same as ever.',
    ].join(' '),
    body: {
      schema: newReplaySchema,
      ...{ types: [JSON_TYPE], isRequired: true },
      example: { destination: 'books', mode: 'missing', filter: { receivedFrom: '2026-01-31T12:00:00Z' } },
    },
    answers: {
      200: { description: 'Only counted, as dryRun asks.', schema: replayCountSchema },
      202: {
        ...shown,
        headers: { location: { description: 'Where it is shown.', schema: { type: 'string' } } },
      },
      409: { description: 'As many replays run as may.' },
    },
  },
  {
    ...common,
    ...{ id: 'listReplays', method: 'get', path: '/v1/replays' },
    summary: 'List replays',
    description: 'Oldest first. A client sees its own, or with operations.read all of them.',
    query: replayQuery,
    answers: { 200: { description: 'A page of replays.', schema: replayPageSchema } },
  },
  {
    ...one,
    ...{ id: 'showReplay', method: 'get' },
    summary: 'Show a replay and how far it is',
    answers: { 200: shown },
  },
  {
    ...one,
    ...{ id: 'cancelReplay', method: 'delete' },
    summary: 'Cancel a replay',
    description:
      'It owes nothing more, and what of it still waits is taken back. What is being sent just now may still arrive. A second time it changes nothing.',
    answers: { 200: shown, 409: { description: 'It has ended, and nothing of it waits.' } },
  },
]
