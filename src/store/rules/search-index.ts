import { isDeepStrictEqual } from 'node:util'
import { institutionOf, kindKey } from '../../domain/realm.ts'
import { SEARCH_ALL } from '../../domain/search/search-rule.ts'
import type { SearchSettings } from '../../domain/search/search-work.ts'
import { termsOf } from '../../domain/search/terms.ts'
import { type FilteredFields, filterTermsOf } from './filter-terms.ts'

/** What a store remembers of its search index, in the transaction of its terms. */
export interface IndexState {
  /** Events up to this position are in the index. */
  readonly through: number
  /** Increases when the settings change, or when the index is to be made again. */
  readonly generation: number
  readonly settings: SearchSettings
  /** Terms of earlier settings: after `after`, up to `through`. null: there are none. */
  readonly rebuild: { readonly after: number; readonly through: number } | null
}

export const EMPTY_INDEX: IndexState = { through: 0, generation: 0, settings: {}, rebuild: null }

/** null: it has them already. */
export function withSettings(state: IndexState, settings: SearchSettings): IndexState | null {
  return isDeepStrictEqual(state.settings, settings) ? null : toRebuild({ ...state, settings })
}

/** All terms are to be made again. */
export function toRebuild(state: IndexState): IndexState {
  const { through, generation } = state
  return { ...state, generation: generation + 1, rebuild: through > 0 ? { after: 0, through } : null }
}

/** The events that a step reads. */
export interface StepRange {
  readonly task: 'index' | 'rebuild'
  /** Their positions: after `after`, up to `through`. */
  readonly after: number
  readonly through: number
  /** The number of the settings. */
  readonly generation: number
  /** Nothing is left to do of this task. */
  readonly isLast: boolean
}

/** No other step has come between. */
export function isCurrent(state: IndexState, { task, after, generation }: StepRange): boolean {
  return state.generation === generation && (task === 'index' ? state.through : state.rebuild?.after) === after
}

export function advanced(state: IndexState, { task, through, isLast }: StepRange): IndexState {
  if (task === 'index') return { ...state, through }
  return { ...state, rebuild: isLast || state.rebuild === null ? null : { ...state.rebuild, after: through } }
}

export interface IndexedRow extends FilteredFields {
  readonly subject: string | null
  readonly content_type: string | null
}

/**
 * All terms of an event; null: the settings of its kind leave it out.
 * @param payloadOf the bytes of this event alone
 */
export function indexedTerms<Row extends IndexedRow>(
  row: Row,
  settings: SearchSettings,
  payloadOf: (row: Row) => Uint8Array,
): Set<string> | null {
  const key = kindKey(institutionOf(row.environment), row.kind)
  const rule = Object.hasOwn(settings, key) ? settings[key] : SEARCH_ALL
  if (rule == null) return null
  const { content_type: contentType, subject } = row
  const terms = termsOf({ body: payloadOf(row), contentType, subject }, rule)
  for (const term of filterTermsOf(row)) terms.add(term)
  return terms
}
