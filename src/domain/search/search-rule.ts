import { pointersInFacts } from '../../platform/json-text.ts'

/** What the search index holds about the events of one kind. */
export interface SearchRule {
  /** JSON Pointers (RFC 6901) into the payload of an event; `*` is any member or element. Their values give no term. */
  readonly exclude: readonly string[]
}

/** The rule of kinds without one: everything is indexed. */
export const SEARCH_ALL: SearchRule = { exclude: [] }

/**
 * The rule of a kind whose pointers lead into the fact or into the envelope around it. null: a pointer names the whole body, so nothing is indexed.
 * @param split as in KindRule
 */
export function searchRuleOf(exclude: readonly string[], split: readonly string[]): SearchRule | null {
  if (exclude.includes('')) return null
  return { exclude: [...new Set([...exclude, ...pointersInFacts(split, exclude)])] }
}
