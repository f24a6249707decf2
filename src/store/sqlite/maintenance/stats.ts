import type { CallbackStats, DatabaseStats, TableStats } from '../../rules/database-stats.ts'
import type { VerifyStep } from '../../verification/verification.ts'
import { type Connection, openForReading } from '../database/connection.ts'
import { requireCurrentSchema } from '../database/migrations.ts'
import { readSearchState } from '../search/search-state.ts'

/**
 * The space used by each table. Reads every page, and blocks its thread meanwhile.
 * @param recentSince callbacks since then count as recent
 * @param now for the age of events that are not in the search index yet
 * @throws PortariaError `store_missing`, `store_newer`, `store_unavailable`
 */
export function readStats(
  { file, recentSince, now }: { file: string; recentSince: number; now: number },
  show: (step: VerifyStep) => void,
): DatabaseStats {
  const db = openForReading(file)
  try {
    requireCurrentSchema(db)
    const [pages, free, pageSize] = ['page_count', 'freelist_count', 'page_size'].map((name) =>
      Number(db.pragma(name, { simple: true })),
    ) as [number, number, number]
    return {
      bytes: pages * pageSize,
      reusableBytes: free * pageSize,
      tables: tableStats(db, show),
      callbacks: callbackStats(db, recentSince),
      search: readSearchState(db, now),
    }
  } finally {
    db.close()
  }
}

interface Tree {
  readonly name: string
  readonly tbl_name: string
}

function tableStats(db: Connection, show: (step: VerifyStep) => void): TableStats[] {
  const trees = db
    .prepare<[], Tree>(
      'select name, tbl_name from sqlite_schema where rootpage > 0 order by name = tbl_name desc, name',
    )
    .all()
  const bytesOf = db
    .prepare<[string], number>('select sum(pgsize) from dbstat where name = ? and aggregate = true')
    .pluck()
  const bytes = new Map<string, number>()
  for (const [done, { name }] of trees.entries()) {
    show({ done, of: trees.length, words: name })
    bytes.set(name, bytesOf.get(name) ?? 0)
  }
  const tables = trees.filter(({ name, tbl_name }) => name === tbl_name)
  return tables
    .map(({ name }) => {
      const indexes = trees.filter((tree) => tree.tbl_name === name && tree.name !== name)
      const indexBytes = indexes.reduce((sum, tree) => sum + (bytes.get(tree.name) ?? 0), 0)
      const rows = db.prepare<[], number>(`select count(*) from ${name}`).pluck().get() ?? 0
      return { name, rows, bytes: (bytes.get(name) ?? 0) + indexBytes, indexBytes }
    })
    .sort((one, other) => other.bytes - one.bytes)
}

function callbackStats(db: Connection, recentSince: number): CallbackStats {
  return db
    .prepare<[number], CallbackStats>(`
      select count(*) as "all", count(*) filter (where payload_removed_at is null) as withPayload,
        count(*) filter (where received_at >= ?) as recent, min(received_at) as oldestAt,
        min(received_at) filter (where payload_removed_at is null) as oldestWithPayloadAt
      from callbacks`)
    .get(recentSince) as CallbackStats
}
