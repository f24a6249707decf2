import { contracts } from '../http/contract.ts'
import { refusalPageSchema, refusalQuerySchema, refusalSchema } from './schema.ts'

const common = { method: 'get', tag: 'Operations', access: ['operations.read'], errors: 'problem' } as const

export const REFUSAL_READS = contracts({
  listRefusals: {
    ...common,
    path: '/v1/refusals',
    summary: 'List refused callers',
    description: 'Oldest first, or newest first with `order=desc`, with cursors like those of events.',
    query: refusalQuerySchema,
    answers: { 200: { description: 'A page of refusals.', schema: refusalPageSchema } },
  },
  showRefusal: {
    ...common,
    path: '/v1/refusals/:id',
    segments: { id: 'Id of the refusal, such as rfs_1.' },
    summary: 'Show a refused caller',
    answers: { 200: { description: 'The refusal.', schema: refusalSchema } },
  },
})
