import type { Destination } from '../../../domain/destination.ts'
import type { Changes } from '../../../domain/nodes/foreign-changes.ts'
import { listDestinations } from '../../sql/destinations.ts'
import { hasChanges, joined, NO_CHANGES } from '../changes/changes.ts'
import { textOf } from '../changes/notice.ts'
import { ask } from '../database/ask.ts'
import { type Head, headStatement } from '../database/head.ts'
import type { Sql, WriterSql } from '../database/sql.ts'
import type { WriterParts } from './writer-parts.ts'

/** A transaction of the writer. */
export interface Transaction {
  readonly sql: WriterSql
  /** The last numbers. Changes of it are written at the end. */
  head(): Promise<Head>
  /** Active and paused destinations. */
  destinations(): Promise<readonly Destination[]>
  /** Before a destination is changed: every node reads them again. */
  changeDestinations(): Promise<void>
  /** The fences of the leases that this node holds, by destination. None changes until the end of the transaction. */
  fences(): Promise<ReadonlyMap<number, number>>
  /** A lease gets or loses its holder in this transaction. */
  changeLeases(): Promise<void>
  /** What other nodes must know after the commit, beside new events. */
  tell(changes: Changes): void
  /** What is to be done together with the commit, as SQL; null: nothing. */
  end(): string | null
}

/** What transactions read again only where it has changed. */
export interface Caches {
  readonly destinations: { version: number; list: readonly Destination[] }
  readonly leases: { version: number; fences: ReadonlyMap<number, number> }
}

export function createCaches(): Caches {
  return { destinations: { version: -1, list: [] }, leases: { version: -1, fences: new Map() } }
}

export function beginTransaction(
  sql: WriterSql,
  head: Head,
  caches: Caches,
  { node, own }: Pick<WriterParts, 'node' | 'own'>,
): Transaction {
  const after = head.position
  let changes = NO_CHANGES
  let mayHaveChanged = false
  let isChanging = false
  let areLeasesChanging = false

  return {
    sql,
    async head() {
      mayHaveChanged = true
      return head
    },
    async destinations() {
      if (isChanging) return ask(sql, listDestinations)
      const version = head.destinations
      const cache = caches.destinations
      if (cache.version !== version) Object.assign(cache, { version, list: await ask(sql, listDestinations) })
      return cache.list
    },
    async changeDestinations() {
      if (!isChanging) head.destinations++
      changes = joined(changes, { ...NO_CHANGES, sorts: ['destinations'] })
      mayHaveChanged = true
      isChanging = true
    },
    async fences() {
      const version = head.leases
      if (areLeasesChanging) return readFences(sql, node.id)
      const cache = caches.leases
      if (cache.version !== version) Object.assign(cache, { version, fences: await readFences(sql, node.id) })
      return cache.fences
    },
    async changeLeases() {
      if (!areLeasesChanging) head.leases++
      mayHaveChanged = true
      areLeasesChanging = true
    },
    tell(more) {
      changes = joined(changes, more)
    },
    end() {
      const isTold = hasChanges(changes) || head.position > after
      if (isTold) head.changes++
      const { changes: number, position } = head
      const notice = isTold ? textOf({ origin: own.origin, number, after, position, changes }) : null
      return mayHaveChanged || isTold ? headStatement(head, notice) : null
    },
  }
}

async function readFences(sql: Sql, node: number | null): Promise<Map<number, number>> {
  const rows = await sql.all<{ destination_id: number; fence: number }>(
    'select destination_id, fence from leases where node = :node',
    { node },
  )
  return new Map(rows.map((row) => [row.destination_id, row.fence]))
}
