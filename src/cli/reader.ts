import { existsSync } from 'node:fs'
import type { Config } from '../config/config.ts'
import type { StoreReader } from '../domain/store-reader.ts'
import { PortariaError } from '../platform/errors.ts'
import { openPostgresReader, openStoreReader } from '../store/open-store.ts'

/**
 * Reads the database beside the running gateway, or without one. Creates and changes nothing.
 * @throws PortariaError `store_missing` where there is no database, and as `openStoreReader`
 */
export async function withReader<T>(
  config: Config,
  read: (reader: StoreReader, config: Config) => Promise<T>,
): Promise<T> {
  const { database } = config.storage
  const reader = await ('file' in database ? openStoreReader(database.file) : openPostgresReader(database))
  try {
    return await read(reader, config)
  } finally {
    await reader.close()
  }
}

/** The same; null instead of the reader where there is no database yet. */
export async function readIfThere<T>(config: Config, read: (reader: StoreReader | null) => Promise<T>): Promise<T> {
  const { database } = config.storage
  if ('file' in database) return existsSync(database.file) ? withReader(config, read) : read(null)
  return withReader(config, read).catch((error: unknown) => {
    if (error instanceof PortariaError && error.code === 'store_missing') return read(null)
    throw error
  })
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
