import { contracts } from '../http/contract.ts'
import {
  canceledReplaySchema,
  newReplaySchema,
  replayCountSchema,
  replayPageSchema,
  replayQuerySchema,
  replaySchema,
} from './schema.ts'

const common = { tag: 'Replays', errors: 'problem' } as const
const one = { ...common, path: '/v1/replays/:id', segments: { id: 'Id of the replay, such as rpl_1.' } }
const replayAnswer = { description: 'The replay.', schema: replaySchema }

export const NEW_REPLAYS = contracts({
  createReplay: {
    ...common,
    method: 'post',
    path: '/v1/replays',
    access: ['events.replay'],
    summary: 'Replay many events',
    action: 'count or start a replay',
    description: [
      'Counts first, then runs in the background, also across restarts. Its deliveries have lower priority than new events and than the backlog of a',
      'destination that was unreachable; ordered destinations keep the order of each subject. The filters of the destination still',
      'apply. Pending deliveries are left unchanged. Events delivered to a removed destination with the same URL and owner count as delivered.',
      'Event ids do not change.',
    ].join(' '),
    body: {
      schema: newReplaySchema,
      what: 'the replay',
      example: { destination: 'books', mode: 'missing', filter: { from: '2026-01-31T12:00:00Z' } },
    },
    answers: {
      200: { description: 'The count, for a dry run.', schema: replayCountSchema },
      202: {
        ...replayAnswer,
        headers: { location: { description: 'URL of the replay.', schema: { type: 'string' } } },
      },
      409: { description: 'The maximum number of running replays is reached.' },
    },
  },
})

export const REPLAY_READS = contracts({
  listReplays: {
    ...common,
    method: 'get',
    path: '/v1/replays',
    access: ['events.replay', 'events.read'],
    summary: 'List replays',
    description:
      'Oldest first, or newest first with `order=desc`. Clients see their own replays, with operations.read all.',
    query: replayQuerySchema,
    answers: { 200: { description: 'A page of replays.', schema: replayPageSchema } },
  },
  showReplay: {
    ...one,
    method: 'get',
    access: ['events.replay', 'events.read'],
    summary: 'Show a replay and its progress',
    answers: { 200: replayAnswer },
  },
})

export const REPLAY_CHANGES = contracts({
  cancelReplay: {
    ...one,
    method: 'delete',
    access: ['events.replay'],
    summary: 'Cancel a replay',
    action: 'cancel a replay',
    description:
      'Stops the replay and withdraws its pending deliveries. Attempts in progress, which the answer counts, may still arrive. Idempotent.',
    answers: {
      200: { ...replayAnswer, schema: canceledReplaySchema },
      409: { description: 'The replay has ended and has no pending deliveries.' },
    },
  },
})
