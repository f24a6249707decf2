import { type NumberedPage, pageOfNumbers } from '../../rules/numbered-page.ts'
import type { Sql, Values } from './sql.ts'

interface NumberedQuery {
  readonly table: 'actions' | 'refusals'
  readonly after: number | undefined
  readonly newestFirst: boolean | undefined
  readonly conditions: readonly string[]
  readonly values: Readonly<Record<string, unknown>>
}

/** A page of a table whose `id` is never used again. */
export async function numberedPage<Row extends { readonly id: number }>(
  sql: Sql,
  { table, after = 0, newestFirst = false, conditions, values }: NumberedQuery,
  limit: number,
): Promise<NumberedPage<Row>> {
  const found = await sql.all<Row>(
    `select * from ${table} where ${['id > :after', ...conditions].join(' and ')} order by id ${newestFirst ? 'desc' : 'asc'} limit :limit`,
    { ...(values as Values), after, limit: limit + 1 },
  )
  return pageOfNumbers(found, { after, newestFirst, limit }, await newestNumber(sql, table))
}

/** Number of the newest row; 0: none. */
export async function newestNumber(sql: Sql, table: NumberedQuery['table']): Promise<number> {
  return (await sql.get<{ newest: number }>(`select coalesce(max(id), 0) as newest from ${table}`))?.newest ?? 0
}
