import { contracts } from '../http/contract.ts'
import { actionPageSchema, actionQuerySchema } from './schema.ts'

export const ACTION_READS = contracts({
  listActions: {
    method: 'get',
    path: '/v1/audit',
    access: ['operations.read'],
    tag: 'Operations',
    errors: 'problem',
    summary: 'List actions: who changed something, or saw masked data',
    description: [
      'Each use of an endpoint that changes something is recorded before it is performed, and once more if it fails. Not recorded: token requests,',
      "batches and acknowledgments of consumers, and the service's own API. `portaria storage verify` reports entries that were changed by hand.",
    ].join(' '),
    query: actionQuerySchema,
    answers: { 200: { description: 'A page of actions.', schema: actionPageSchema } },
  },
})
