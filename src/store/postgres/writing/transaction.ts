import type { Destination } from '../../../domain/destination.ts'
import { type DestinationRow, destinationOfRow } from '../../rows/destination-row.ts'
import { type Head, lockHead, writeHead } from '../database/head.ts'
import type { Sql } from '../database/sql.ts'

/** A transaction of the writer. */
export interface Transaction {
  readonly sql: Sql
  /** Locks the last numbers until the end of the transaction. Changes of it are written at the end. */
  head(): Promise<Head>
  /** Active and paused destinations. What they are cannot change any more once the head is locked. */
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

export function beginTransaction(sql: Sql, cache: DestinationCache): Transaction {
  let head: Head | undefined
  let isChanging = false

  async function lock(): Promise<Head> {
    head ??= await lockHead(sql)
    return head
  }

  async function versionOfDestinations(): Promise<number> {
    if (head !== undefined) return head.destinations
    const row = await sql.get<{ destinations: number }>('select destinations from head')
    return row?.destinations ?? 0
  }

  return {
    sql,
    head: lock,
    async destinations() {
      if (isChanging) return readDestinations(sql)
      const version = await versionOfDestinations()
      if (cache.version !== version) Object.assign(cache, { version, list: await readDestinations(sql) })
      return cache.list
    },
    async changeDestinations() {
      const locked = await lock()
      if (!isChanging) locked.destinations++
      isChanging = true
    },
    async end() {
      if (head !== undefined) await writeHead(sql, head)
    },
  }
}

async function readDestinations(sql: Sql): Promise<Destination[]> {
  const rows = await sql.all<DestinationRow>(
    "select * from destinations where state in ('active', 'paused') order by id",
  )
  return rows.map(destinationOfRow)
}
