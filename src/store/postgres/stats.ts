import type { PostgresAddress } from '../../platform/postgres/postgres-address.ts'
import type { CallbackStats, DatabaseStats, TableStats } from '../rules/database-stats.ts'
import { applicationName } from './database/application-name.ts'
import { createReaders } from './database/readers.ts'
import type { Sql } from './database/sql.ts'
import { readPostgres } from './postgres-reader.ts'
import { readSearchState } from './search/search-index.ts'

/**
 * The space used by each table. Each part is a read of its own, because of its time limit.
 * @param recentSince callbacks since then count as recent
 * @throws PortariaError `store_missing`, `store_newer`, `store_unavailable`
 */
export async function readStats(
  address: PostgresAddress,
  { recentSince, now }: { readonly recentSince: number; readonly now: number },
): Promise<DatabaseStats> {
  // It checks the schema.
  await (await readPostgres(address)).close()
  const { read, end } = createReaders(address, applicationName(undefined, 'command'))
  try {
    const tables: TableStats[] = []
    for (const table of await read(listTables)) {
      const counted = await read((sql) => sql.get<{ rows: number }>(`select count(*) as rows from ${table.name}`))
      tables.push({ ...table, rows: counted?.rows ?? 0 })
    }
    return {
      bytes: await read(readSize),
      // PostgreSQL uses space inside its tables again, and does not say how much there is.
      reusableBytes: null,
      tables,
      callbacks: await read((sql) => readCallbackStats(sql, recentSince)),
      search: await read((sql) => readSearchState(sql, now)),
    }
  } finally {
    await end()
  }
}

async function readSize(sql: Sql): Promise<number> {
  return (await sql.get<{ bytes: number }>('select pg_database_size(current_database()) as bytes'))?.bytes ?? 0
}

function listTables(sql: Sql): Promise<Omit<TableStats, 'rows'>[]> {
  return sql.all(
    `select relname as name, pg_total_relation_size(oid) as bytes, pg_indexes_size(oid) as "indexBytes" from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r' order by 2 desc`,
  )
}

async function readCallbackStats(sql: Sql, recentSince: number): Promise<CallbackStats> {
  const found = await sql.get<CallbackStats>(
    `select count(*) as all, count(*) filter (where payload_removed_at is null) as "withPayload",
      count(*) filter (where received_at >= at_ms(:recentSince)) as recent, min(received_at) as "oldestAt",
      min(received_at) filter (where payload_removed_at is null) as "oldestWithPayloadAt"
    from callbacks`,
    { recentSince },
  )
  return found ?? { all: 0, withPayload: 0, recent: 0, oldestAt: null, oldestWithPayloadAt: null }
}
