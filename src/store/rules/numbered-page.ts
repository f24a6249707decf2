export interface NumberedPage<Row> {
  readonly rows: readonly Row[]
  /** Where the next page starts: after this number (newest first: before it). */
  readonly next: number
  readonly more: boolean
}

/** A page of rows whose numbers are never used again. @param found at most one more than `limit` @param newest the number of the newest row */
export function pageOfNumbers<Row extends { readonly id: number }>(
  found: readonly Row[],
  { after, newestFirst, limit }: { readonly after: number; readonly newestFirst: boolean; readonly limit: number },
  newest: number,
): NumberedPage<Row> {
  const rows = found.slice(0, limit)
  const more = found.length > limit
  // No match is left up to the newest row, so the next page may start there.
  const end = newestFirst ? 0 : Math.max(after, newest)
  return { rows, next: more ? (rows.at(-1)?.id ?? after) : end, more }
}

/** SQL conditions for the members of a filter that are given. The value of a condition has the name of its member. */
export function conditionsFor<Filter extends object>(
  filter: Filter,
  known: readonly (readonly [keyof Filter & string, string])[],
): { readonly conditions: readonly string[]; readonly values: Readonly<Record<string, unknown>> } {
  const given = known.filter(([name]) => filter[name] !== undefined)
  return {
    conditions: given.map(([, condition]) => condition),
    values: Object.fromEntries(given.map(([name]) => [name, filter[name]])),
  }
}
