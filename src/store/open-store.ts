import type { Store, StoreReader } from '../domain/store.ts'
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

/** Opens the store for looking only, beside a running gateway or without one. @throws PortariaError `store_missing`, `store_newer` */
export function openStoreReader(file: string): Promise<StoreReader> {
  return openSqliteReader(file)
}
