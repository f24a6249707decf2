import { contracts } from '../http/contract.ts'
import { searchStateSchema } from './schema.ts'

const common = { tag: 'Operations', errors: 'problem' } as const

export const SEARCH_READS = contracts({
  showSearch: {
    ...common,
    method: 'get',
    path: '/v1/search',
    access: ['operations.read'],
    summary: 'Show how far the search index is',
    description:
      'A job adds new events to the index in the background, so a search finds an event a moment after it was stored.',
    answers: { 200: { description: 'The index.', schema: searchStateSchema } },
  },
})

export const SEARCH_CHANGES = contracts({
  reindex: {
    ...common,
    method: 'post',
    path: '/v1/search/reindex',
    access: ['operations.write'],
    summary: 'Make the search index again',
    action: 'rebuild the search index',
    description: [
      'Makes the index again from all events, in the background and with lower priority than callbacks, also across restarts.',
      'Needed only where `storage verify` names the index. Searches use what is in the index meanwhile.',
    ].join(' '),
    answers: { 202: { description: 'The index is being made again.', schema: searchStateSchema } },
  },
})
