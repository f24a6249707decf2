import { contracts } from '../http/contract.ts'
import { nodeListSchema } from './schema.ts'

export const NODE_READS = contracts({
  listNodes: {
    method: 'get',
    path: '/v1/nodes',
    access: ['operations.read'],
    tag: 'Operations',
    errors: 'problem',
    summary: 'List the nodes',
    description: 'The gateways that share the PostgreSQL database, by name. With SQLite the list is empty.',
    answers: { 200: { description: 'All of them.', schema: nodeListSchema } },
  },
})
