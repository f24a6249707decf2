import type { Store } from '../domain/store.ts'
import type { StoreReader } from '../domain/store-reader.ts'
import type { DatabaseAddress, PostgresAddress } from '../platform/postgres/postgres-address.ts'
import type { Move } from './moving/move.ts'
import type { PostgresStore, PostgresStoreOptions } from './postgres/postgres-store.ts'
import type { ServerFacts } from './postgres/server-facts.ts'
import type { PostgresVerification } from './postgres/verification/verify-postgres.ts'
import type { DatabaseStats } from './rules/database-stats.ts'
import { checkForReading } from './sqlite/database/check-for-reading.ts'
import { openSqliteReader } from './sqlite/sqlite-reader.ts'
import { openSqliteStore, type SqliteStoreOptions } from './sqlite/sqlite-store.ts'
import type { WrittenPoint } from './verification/audit-verification.ts'
import type { VerifyStep } from './verification/verification.ts'

export type StoreOptions = SqliteStoreOptions

/**
 * Opens the store for writing. This process owns it until `close`, which first commits all waiting calls.
 * @throws PortariaError `store_locked`, `store_newer`, `store_unavailable`
 */
export function openStore(options: StoreOptions): Promise<Store> {
  return openSqliteStore(options)
}

/**
 * Opens a store on PostgreSQL, which other processes may use at the same time. Its client is loaded here, so that SQLite needs none.
 * @throws PortariaError `store_newer`, `store_unavailable`
 */
export async function openPostgres(options: PostgresStoreOptions): Promise<PostgresStore> {
  const { openPostgresStore } = await import('./postgres/postgres-store.ts')
  return openPostgresStore(options)
}

/**
 * Opens the store read-only, with or without a running gateway. For commands only: in the gateway's own process, checking the file would free its
 * locks.
 * @throws PortariaError `store_missing`, `store_newer`, `store_unavailable` also for a database that holds less than it did before
 */
export async function openStoreReader(file: string): Promise<StoreReader> {
  return openSqliteReader(file, { known: checkForReading(file) })
}

/** The same for PostgreSQL. @throws PortariaError `store_missing`, `store_newer`, `store_unavailable` */
export async function openPostgresReader(address: PostgresAddress): Promise<StoreReader> {
  const { readPostgres } = await import('./postgres/postgres-reader.ts')
  return readPostgres(address)
}

/** For `portaria check`. @throws PortariaError `store_unavailable`, `configuration_invalid` */
export async function readServerFacts(address: PostgresAddress): Promise<ServerFacts> {
  const facts = await import('./postgres/server-facts.ts')
  return facts.readServerFacts(address)
}

/** The space used by each table of a PostgreSQL database. @throws as `openPostgresReader` */
export async function readPostgresStats(
  address: PostgresAddress,
  times: { readonly recentSince: number; readonly now: number },
): Promise<DatabaseStats> {
  const { readStats } = await import('./postgres/stats.ts')
  return readStats(address, times)
}

/** Checks a PostgreSQL database, and its audit chain unless `expected` is null. @throws as `openPostgresReader` */
export async function verifyPostgresDatabase(
  address: PostgresAddress,
  expected: readonly WrittenPoint[] | null,
  show: (step: VerifyStep) => void,
): Promise<PostgresVerification> {
  const { verifyPostgres } = await import('./postgres/verification/verify-postgres.ts')
  return verifyPostgres(address, expected, show)
}

/** Copies a database whole: `storage move`. @throws as `moveStore` of moving/open-sides.ts */
export async function moveStore(
  from: DatabaseAddress,
  to: DatabaseAddress,
  show: (step: VerifyStep) => void,
): Promise<Move> {
  const sides = await import('./moving/open-sides.ts')
  return sides.moveStore(from, to, show)
}
