import type { SearchState } from '../domain/search/search-index.ts'
import type { Exposition } from './exposition.ts'

export interface SearchSources {
  /** null: unknown. */
  readonly search: () => SearchState | null
}

/** The search index. */
export function exposeSearch(exposition: Exposition, { search }: SearchSources): void {
  const gauge = (name: string, help: string, read: (state: SearchState) => number) =>
    exposition.gauge({ name: `portaria_search_${name}`, help }, [], (emit) => {
      const state = search()
      if (state !== null) emit({}, read(state))
    })
  gauge('lag_events', 'Events that the search does not find yet.', ({ lagEvents }) => lagEvents)
  gauge(
    'lag_seconds',
    'Age of the oldest event that the search does not find yet; 0: there is none.',
    ({ lagSeconds }) => lagSeconds,
  )
  gauge('index_bytes', 'Bytes of the search index in the database.', ({ indexBytes }) => indexBytes)
  gauge('rebuilding', '1 while the search index is being made again from all events.', ({ isRebuilding }) =>
    Number(isRebuilding),
  )
}
