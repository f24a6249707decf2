import type { SearchIndex, SearchIndexState } from '../../domain/search/search-index.ts'
import type { Log } from '../../platform/log.ts'
import { endpoint } from '../http/endpoint.ts'
import type { View } from '../http/schema-parts.ts'
import { searchStateSchema } from './schema.ts'

export interface SearchEndpointsOptions {
  readonly searchIndex: SearchIndex
  readonly log: Log
}

export type SearchStateView = View<typeof searchStateSchema>

const common = { tag: 'Operations', errors: 'problem' } as const

export function searchEndpoints(options: SearchEndpointsOptions) {
  return {
    showSearch: showSearch(options),
    reindex: reindex(options),
  }
}

function showSearch({ searchIndex }: SearchEndpointsOptions) {
  return endpoint({
    ...common,
    method: 'get',
    path: '/v1/search',
    access: ['operations.read'],
    summary: 'Show how far the search index is',
    description:
      'A job adds new events to the index in the background, so a search finds an event a moment after it was stored.',
    answers: { 200: { description: 'The index.', schema: searchStateSchema } },
    run: async () => ({ json: searchStateView(await searchIndex.state()) }),
  })
}

function reindex({ searchIndex, log }: SearchEndpointsOptions) {
  return endpoint({
    ...common,
    method: 'post',
    path: '/v1/search/reindex',
    access: ['operations.write'],
    summary: 'Make the search index again',
    description: [
      'Makes the index again from all events, in the background and with lower priority than callbacks, also across restarts.',
      'Needed only where `storage verify` names the index. Searches use what is in the index meanwhile.',
    ].join(' '),
    answers: { 202: { description: 'The index is being made again.', schema: searchStateSchema } },
    async run() {
      await searchIndex.rebuild()
      log.info({}, 'search.rebuild_started')
      return { status: 202, json: searchStateView(await searchIndex.state()) }
    },
  })
}

function searchStateView(state: SearchIndexState): SearchStateView {
  const { indexedThrough, latest, lagEvents, lagSeconds, isRebuilding, rebuiltThrough, indexBytes, problem } = state
  return { indexedThrough, latest, lagEvents, lagSeconds, isRebuilding, rebuiltThrough, indexBytes, problem }
}
