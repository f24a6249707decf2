import type { NumberedPage } from '../../rules/numbered-page.ts'
import { pageOfNumbers } from '../../rules/numbered-page.ts'
import type { Connection } from './connection.ts'

/** Which rows: numbered after `after` (default 0), and matching `conditions`, whose named values are in `values`. */
export interface NumberedQuery {
  readonly table: 'actions' | 'refusals'
  readonly after: number | undefined
  readonly newestFirst: boolean | undefined
  readonly conditions: readonly string[]
  readonly values: Readonly<Record<string, unknown>>
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
    return pageOfNumbers(found, { after, newestFirst, limit }, newestNumber(db, table))
  })()
}

/** Number of the newest row; 0: none. */
export function newestNumber(db: Connection, table: NumberedQuery['table']): number {
  return db.prepare<[], number | null>(`select max(id) from ${table}`).pluck().get() ?? 0
}
