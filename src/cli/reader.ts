import type { Config } from '../config/config.ts'
import type { StoreReader } from '../domain/store-reader.ts'
import { openStoreReader } from '../store/open-store.ts'

/**
 * Reads the database beside the running gateway, or without one. Creates and changes nothing.
 * @throws PortariaError `store_missing` where there is no database, and as `openStoreReader`
 */
export async function withReader<T>(
  config: Config,
  read: (reader: StoreReader, config: Config) => Promise<T>,
): Promise<T> {
  const reader = await openStoreReader(config.storage.file)
  try {
    return await read(reader, config)
  } finally {
    await reader.close()
  }
}

/** For what is worth knowing only where the database can be read; `nothing` where it is missing or unreadable, which other findings report. */
export async function readIfPossible<T>(
  config: Config,
  nothing: T,
  read: (reader: StoreReader) => Promise<T>,
): Promise<T> {
  try {
    return await withReader(config, read)
  } catch {
    return nothing
  }
}
