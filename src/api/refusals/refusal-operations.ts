import { ENVIRONMENTS } from '../../domain/event.ts'
import { REFUSAL_CODES, REFUSING_LISTENERS } from '../../domain/refusal.ts'
import type { Operation } from '../http/endpoint.ts'
import { cursor, limit, listOf, oneOf, text, time } from '../http/query.ts'
import { refusalPageSchema, refusalSchema } from './schema.ts'

export const refusalQuery = {
  after: cursor,
  limit,
  reason: listOf('Only refusals with these codes.', REFUSAL_CODES),
  address: text('Only callers from this address.'),
  listener: oneOf(REFUSING_LISTENERS, 'Only callers of this listener.'),
  environment: oneOf(ENVIRONMENTS, 'Only callers that are known to be of this environment.'),
  refusedFrom: time('Only callers refused then or later.'),
  refusedTo: time('Only callers refused before.'),
}

const common = { method: 'get', tag: 'Operations', access: 'scopes', errors: 'problem' } as const

export const REFUSAL_OPERATIONS: readonly Operation[] = [
  {
    ...common,
    ...{ id: 'listRefusals', path: '/v1/refusals' },
    summary: 'List refused callers',
    description: 'Oldest first, by cursor, as events are.',
    query: refusalQuery,
    answers: { 200: { description: 'A page of refusals.', schema: refusalPageSchema } },
  },
  {
    ...common,
    ...{ id: 'showRefusal', path: '/v1/refusals/:id', segments: { id: 'The refusal, such as rfs_1.' } },
    summary: 'Show a refused caller',
    answers: { 200: { description: 'The refusal.', schema: refusalSchema } },
  },
]
