import type { Destination } from '../../../domain/destination.ts'
import { type DestinationRow, destinationOfRow } from '../../rows/destination-row.ts'
import { type Head, writeHead } from '../database/head.ts'
import type { Sql } from '../database/sql.ts'

/** A transaction of the writer. */
export interface Transaction {
  readonly sql: Sql
  /** The last numbers. Changes of it are written at the end. */
  head(): Promise<Head>
  /** Active and paused destinations. */
  destinations(): Promise<readonly Destination[]>
  /** Before a destination is changed: every node reads them again. */
  changeDestinations(): Promise<void>
  /** Before the commit. */
  end(): Promise<void>
}

/** Of the destinations, as of the last transaction that needed them. */
export interface DestinationCache {
  version: number
  list: readonly Destination[]
}

export function beginTransaction(sql: Sql, head: Head, cache: DestinationCache): Transaction {
  let mayHaveChanged = false
  let isChanging = false

  return {
    sql,
    async head() {
      mayHaveChanged = true
      return head
    },
    async destinations() {
      if (isChanging) return readDestinations(sql)
      const version = head.destinations
      if (cache.version !== version) Object.assign(cache, { version, list: await readDestinations(sql) })
      return cache.list
    },
    async changeDestinations() {
      if (!isChanging) head.destinations++
      mayHaveChanged = true
      isChanging = true
    },
    async end() {
      if (mayHaveChanged) await writeHead(sql, head)
    },
  }
}

async function readDestinations(sql: Sql): Promise<Destination[]> {
  const rows = await sql.all<DestinationRow>(
    "select * from destinations where state in ('active', 'paused') order by id",
  )
  return rows.map(destinationOfRow)
}
