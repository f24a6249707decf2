import type { Store } from '../domain/store.ts'
import type { StoreReader } from '../domain/store-reader.ts'
import { checkForReading } from './sqlite/database/check-for-reading.ts'
import { openSqliteReader } from './sqlite/sqlite-reader.ts'
import { openSqliteStore, type SqliteStoreOptions } from './sqlite/sqlite-store.ts'

export type StoreOptions = SqliteStoreOptions

/**
 * Opens the store for writing. This process owns it until `close`, which first commits all waiting calls.
 * @throws PortariaError `store_locked`, `store_newer`, `store_unavailable`
 */
export function openStore(options: StoreOptions): Promise<Store> {
  return openSqliteStore(options)
}

/**
 * Opens the store read-only, with or without a running gateway. For commands only: in the gateway's own process, checking the file would free its
 * locks.
 * @throws PortariaError `store_missing`, `store_newer`, `store_unavailable` also for a database that holds less than it did before
 */
export async function openStoreReader(file: string): Promise<StoreReader> {
  return openSqliteReader(file, { known: checkForReading(file) })
}
