import type { Connection } from './connection.ts'

/** Which rows: numbered after `after` (default 0), and matching `conditions`, whose named values are in `values`. */
export interface NumberedQuery {
  readonly table: 'actions' | 'refusals'
  readonly after: number | undefined
  readonly newestFirst: boolean | undefined
  readonly conditions: readonly string[]
  readonly values: Readonly<Record<string, unknown>>
}

export interface NumberedPage<Row> {
  readonly rows: readonly Row[]
  /** Where the next page starts: after this number (newest first: before it). */
  readonly next: number
  readonly more: boolean
}

/** SQL conditions for the members of a filter that are given. The value of a condition has the name of its member. */
export function conditionsFor<Filter extends object>(
  filter: Filter,
  known: readonly (readonly [keyof Filter & string, string])[],
): Pick<NumberedQuery, 'conditions' | 'values'> {
  const given = known.filter(([name]) => filter[name] !== undefined)
  return {
    conditions: given.map(([, condition]) => condition),
    values: Object.fromEntries(given.map(([name]) => [name, filter[name]])),
  }
}

/** A page of a table whose `id` is never used again, and the number of its newest row, in one state of the database. */
export function numberedPage<Row extends { readonly id: number }>(
  db: Connection,
  { table, after = 0, newestFirst = false, conditions, values }: NumberedQuery,
  limit: number,
): NumberedPage<Row> {
  return db.transaction(() => {
    const found = db
      .prepare<Record<string, unknown>, Row>(`
        select * from ${table} where ${['id > :after', ...conditions].join(' and ')}
        order by id ${newestFirst ? 'desc' : 'asc'} limit :limit`)
      .all({ ...values, after, limit: limit + 1 })
    const rows = found.slice(0, limit)
    const more = found.length > limit
    // No match is left up to the newest row, so the next page may start there.
    const end = newestFirst ? 0 : Math.max(after, newestNumber(db, table))
    return { rows, next: more ? (rows.at(-1)?.id ?? after) : end, more }
  })()
}

/** Number of the newest row; 0: none. */
export function newestNumber(db: Connection, table: NumberedQuery['table']): number {
  return db.prepare<[], number | null>(`select max(id) from ${table}`).pluck().get() ?? 0
}
