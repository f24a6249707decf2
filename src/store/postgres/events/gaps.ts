import type { RemovalRow } from '../../rules/gaps.ts'
import type { Sql } from '../database/sql.ts'

/** What retention has announced. The table has few rows: one is deleted when a later one reaches as far. */
export function readRemovals(sql: Sql): Promise<RemovalRow[]> {
  return sql.all<RemovalRow>('select * from removals')
}
