import type { StoreReader } from '../../domain/store-reader.ts'
import { PortariaError } from '../../platform/errors.ts'
import { COMMAND } from '../../platform/installation.ts'
import { nameOfDatabase, type PostgresAddress } from '../../platform/postgres/postgres-address.ts'
import { createReaders } from './database/readers.ts'
import type { Sql } from './database/sql.ts'
import { type PostgresReads, READS } from './writing/reads.ts'

/** For commands: reads alone, beside any number of gateways. @throws PortariaError `store_missing`, `store_newer`, `store_unavailable` */
export async function readPostgres(address: PostgresAddress): Promise<StoreReader> {
  const readers = createReaders(address, 'portaria command')
  try {
    await readers.read((sql) => checkSchema(sql, address))
  } catch (error) {
    await readers.end()
    throw error
  }
  const reads = Object.entries(READS).map(([name, read]) => [
    name,
    (...args: readonly unknown[]) =>
      readers.read((sql) => (read as (sql: Sql, ...given: readonly unknown[]) => Promise<unknown>)(sql, ...args)),
  ])
  const methods = Object.fromEntries(reads) as PostgresReads
  return { ...methods, close: () => readers.end() }
}

async function checkSchema(sql: Sql, address: PostgresAddress): Promise<void> {
  const found = await sql.get<{ isThere: boolean }>(`select to_regclass('head') is not null as "isThere"`)
  if (found?.isThere) return
  throw new PortariaError(
    'store_missing',
    `${nameOfDatabase(address)} is empty: start the gateway once (${COMMAND} serve), or check storage.url`,
  )
}
