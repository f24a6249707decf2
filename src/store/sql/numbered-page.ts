import { conditionsFor } from '../rules/conditions.ts'
import { type Asked, all, one, type Values } from './asked.ts'
import { selected } from './table-texts.ts'

interface NumberedPage<Row> {
  readonly rows: readonly Row[]
  /** Where the next page starts: after this number (newest first: before it). */
  readonly next: number
  readonly more: boolean
}

type Table = 'actions' | 'refusals'

interface NumberedFilter {
  readonly after?: number
  readonly newestFirst?: boolean
}

/** A page of a table whose `id` is never used again. @param conditions as of `conditionsFor` */
export function* numberedPage<Row extends { readonly id: number }, Filter extends NumberedFilter>(
  table: Table,
  conditions: readonly (readonly [keyof Filter & string, string])[],
  filter: Filter,
  limit: number,
): Asked<NumberedPage<Row>> {
  const { after = 0, newestFirst = false } = filter
  const given = conditionsFor(filter, conditions)
  const found = yield* all<Row>(
    `select ${selected(table)} from ${table} where ${['id > :after', ...given.conditions].join(' and ')} order by id ${newestFirst ? 'desc' : 'asc'} limit :limit`,
    { ...(given.values as Values), after, limit: limit + 1 },
  )
  const rows = found.slice(0, limit)
  const more = found.length > limit
  // No match is left up to the newest row, so the next page may start there.
  const end = newestFirst ? 0 : Math.max(after, yield* newestNumber(table))
  return { rows, next: more ? (rows.at(-1)?.id ?? after) : end, more }
}

/** Number of the newest row; 0: none. */
export function* newestNumber(table: Table): Asked<number> {
  return (yield* one<{ newest: number }>(`select coalesce(max(id), 0) as newest from ${table}`)).newest
}
