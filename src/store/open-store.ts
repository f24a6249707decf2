import type { Store, StoreReader } from '../domain/store.ts'
import { checkForReading } from './sqlite/database/check-for-reading.ts'
import { openSqliteReader } from './sqlite/sqlite-reader.ts'
import { openSqliteStore, type SqliteStoreOptions } from './sqlite/sqlite-store.ts'

export type StoreOptions = SqliteStoreOptions

/**
 * Opens the store for writing and owns it until `close`, which commits what is waiting first.
 * @throws PortariaError `store_locked`, `store_newer`, `store_unavailable`
 */
export function openStore(options: StoreOptions): Promise<Store> {
  return openSqliteStore(options)
}

/**
 * Opens the store for looking only, beside a running gateway or without one. For commands alone: in the gateway's own process the look at the
 * file would free the locks on it.
 * @throws PortariaError `store_missing`, `store_newer`, `store_unavailable` also where less is there than was
 */
export async function openStoreReader(file: string): Promise<StoreReader> {
  return openSqliteReader(file, { known: checkForReading(file) })
}
