import type { SearchIndex, SearchIndexState } from '../../domain/search/search-index.ts'
import type { Log } from '../../platform/log.ts'
import type { Handlers } from '../http/contract.ts'
import type { View } from '../http/schema-parts.ts'
import { served } from '../http/served.ts'
import { SEARCH_CHANGES, SEARCH_READS } from './contract.ts'
import type { searchStateSchema } from './schema.ts'

export interface SearchReadParts {
  readonly searchIndex: Pick<SearchIndex, 'state'>
}

export interface SearchParts extends SearchReadParts {
  readonly searchIndex: SearchIndex
  readonly log: Log
}

export type SearchStateView = View<typeof searchStateSchema>

const READS: Handlers<typeof SEARCH_READS, SearchReadParts> = {
  showSearch: async (_call, { searchIndex }) => ({ json: searchStateView(await searchIndex.state()) }),
}

const CHANGES: Handlers<typeof SEARCH_CHANGES, SearchParts> = {
  async reindex(_call, { searchIndex, log }) {
    await searchIndex.rebuild()
    log.info({}, 'search.rebuild_started')
    return { status: 202, json: searchStateView(await searchIndex.state()) }
  },
}

export function searchEndpoints(parts: SearchParts) {
  return { ...searchReads(parts), ...served(SEARCH_CHANGES, CHANGES, parts) }
}

export function searchReads(parts: SearchReadParts) {
  return served(SEARCH_READS, READS, parts)
}

function searchStateView(state: SearchIndexState): SearchStateView {
  const { indexedThrough, latest, lagEvents, lagSeconds, isRebuilding, rebuiltThrough, indexBytes, problem } = state
  return { indexedThrough, latest, lagEvents, lagSeconds, isRebuilding, rebuiltThrough, indexBytes, problem }
}
