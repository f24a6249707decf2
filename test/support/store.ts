import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished } from 'vitest'
import type { Config } from '../../src/config/config.ts'
import type { Store } from '../../src/domain/store.ts'
import { openForReading } from '../../src/store/sqlite/database/connection.ts'
import { takeSnapshot } from '../../src/store/sqlite/maintenance/store-snapshot.ts'
import { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from '../../src/store/sqlite/sqlite-store.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** The path of a database in a folder of its own. Neither is the database created, nor does it outlive the test. */
export function temporaryDatabase(): string {
  return join(temporaryFolder(), 'portaria.db')
}

/** A temporary database with this content, changed by statements that no foreign key holds back. */
export function databaseFrom(content: Buffer, sql = ''): string {
  const file = temporaryDatabase()
  writeFileSync(file, content)
  if (sql === '') return file
  const db = new Database(file)
  db.pragma('foreign_keys = off')
  db.exec(sql)
  db.close()
  return file
}

/** The SQLite database of a configuration. */
export function databaseFile({ storage: { database } }: Pick<Config, 'storage'>): string {
  if ('file' in database) return database.file
  throw new TypeError('the database is no file')
}

/** Of the database of a configuration. */
export function storeOptionsOf({ storage }: Pick<Config, 'storage'>): SqliteStoreOptions {
  return { ...storage, file: databaseFile({ storage }) }
}

/** Options with bounds that no test reaches by accident. */
export function storeOptions(changes: Partial<SqliteStoreOptions> = {}): SqliteStoreOptions {
  const file = changes.file ?? temporaryDatabase()
  return { deduplicationWindowMs: 86_400_000, queue: { events: 10_000, bytes: 1 << 26 }, ...changes, file }
}

/** Opens a store, of a temporary database by default. It is closed when the test is over, unless the test closed it before. */
export async function openTestStore(changes: Partial<SqliteStoreOptions> = {}): Promise<SqliteStore> {
  const store = await openSqliteStore(storeOptions(changes))
  let closing: Promise<void> | undefined
  const close = () => (closing ??= store.close())
  onTestFinished(close)
  return { ...store, close }
}

/** The sums that the writer keeps are what the database counts. */
export async function expectCountedSums(store: Pick<Store, 'takeSnapshot'>, file: string): Promise<void> {
  const { searchedTo: _searchedTo, ...kept } = await store.takeSnapshot()
  const db = openForReading(file)
  try {
    expect(kept).toEqual(takeSnapshot(db))
  } finally {
    db.close()
  }
}
