import type { Config } from '../config/config.ts'
import type { StoreReader } from '../domain/store-reader.ts'
import { openStoreReader } from '../store/open-store.ts'

/**
 * Reads the database beside the running gateway, or without one. Creates and changes nothing.
 * @throws PortariaError `store_missing` where there is no database, and as `openStoreReader`
 */
export async function withReader<T>({ storage }: Config, read: (reader: StoreReader) => Promise<T>): Promise<T> {
  const reader = await openStoreReader(storage.file)
  try {
    return await read(reader)
  } finally {
    await reader.close()
  }
}
