/**
 * The entries of a token that are events already: all up to `through`, and those of `beyond`. Exact, also where entries are missing or come late.
 */
export interface EntryIds {
  readonly through: number
  /** Ascending, each above `through + 1`. */
  readonly beyond: readonly number[]
}

export function hasEntry({ through, beyond }: EntryIds, id: number): boolean {
  return id <= through || beyond.includes(id)
}

/** @param added ids that it does not have, in any order */
export function withEntries({ through, beyond }: EntryIds, added: readonly number[]): EntryIds {
  const ids = [...beyond, ...added].sort((a, b) => a - b)
  const gap = ids.findIndex((id, index) => id !== through + 1 + index)
  const joined = gap === -1 ? ids.length : gap
  return { through: through + joined, beyond: ids.slice(joined) }
}
