import type { SearchRule } from './search-rule.ts'

/** The rules of kinds that have one of their own. null: their events are not indexed. Every other kind is indexed as a whole. */
export type SearchSettings = Readonly<Record<string, SearchRule | null>>

/** Work of the index: `index` adds new events, `rebuild` makes a part again from its events, `merge` joins small runs. */
export const SEARCH_TASKS = ['index', 'rebuild', 'merge'] as const
export type SearchTask = (typeof SEARCH_TASKS)[number]

export interface SearchBounds {
  /** Events that are read, about. */
  readonly limit: number
  /** Only runs after this position are merged; left out: all. */
  readonly after?: number
}
