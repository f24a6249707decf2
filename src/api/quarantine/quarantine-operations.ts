import { QUARANTINE_REASONS } from '../../domain/accounts.ts'
import { ENVIRONMENTS } from '../../domain/event.ts'
import { QUARANTINE_STATES } from '../../domain/quarantine.ts'
import type { Operation } from '../http/endpoint.ts'
import { idBehind, limit, listOf, oneOf } from '../http/query.ts'
import { quarantinedDetailSchema, quarantinedSchema, quarantinePageSchema, releasedSchema } from './schema.ts'

export const quarantineQuery = {
  after: idBehind('qtn'),
  limit,
  state: oneOf(QUARANTINE_STATES, 'Only what is in this state: quarantined is what nobody has decided about.'),
  kind: listOf('Only these kinds.'),
  environment: oneOf(ENVIRONMENTS, 'Only what was received in this environment.'),
  reason: oneOf(QUARANTINE_REASONS, 'Only what is held back for this reason.'),
}

const common = { tag: 'Quarantine', access: 'scopes', errors: 'problem' } as const
const segments = { id: 'What is held back, such as qtn_1.' }
const decided = { 409: { description: 'It was released or discarded already.' } }

export const QUARANTINE_OPERATIONS: readonly Operation[] = [
  {
    ...common,
    ...{ id: 'listQuarantine', method: 'get', path: '/v1/quarantine' },
    summary: 'List what is held back',
    description: 'Oldest first.',
    query: quarantineQuery,
    answers: { 200: { description: 'A page of facts.', schema: quarantinePageSchema } },
  },
  {
    ...common,
    ...{ id: 'showQuarantined', method: 'get', path: '/v1/quarantine/:id', segments },
    summary: 'Show a fact that is held back, with its evidence',
    answers: { 200: { description: 'The fact.', schema: quarantinedDetailSchema } },
  },
  {
    ...common,
    ...{ id: 'releaseQuarantined', method: 'post', path: '/v1/quarantine/:id/release', segments },
    summary: 'Let a fact in',
    description:
      'It becomes an event, once: behind all events that there are, with the time at which it was received, and owed to the destinations that want it now.',
    answers: { 200: { description: 'It is an event.', schema: releasedSchema }, ...decided },
  },
  {
    ...common,
    ...{ id: 'discardQuarantined', method: 'post', path: '/v1/quarantine/:id/discard', segments },
    summary: 'Decide that a fact is never let in',
    description: 'It can still be looked at.',
    answers: { 200: { description: 'It is discarded.', schema: quarantinedSchema }, ...decided },
  },
]
