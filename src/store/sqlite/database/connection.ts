import { accessSync, closeSync, constants, openSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { messageOf, PortariaError } from '../../../platform/errors.ts'
import { makeFolder } from '../../../platform/folder.ts'
import { refuseForeignLinks } from '../../../platform/foreign-links.ts'
import { COMMAND } from '../../../platform/installation.ts'
import { isPermissionError, permissionAdvice } from '../../../platform/permission.ts'
import { requireOwn } from './database-file.ts'
import { ENDING, LOADED, LOADING, NOT_YET, type SqliteLoading } from './start-thread.ts'

export type Connection = Database.Database

const PAGE_SIZE = 8192

/** A larger log would make a checkpoint slow; a smaller one would make checkpoints too frequent. */
export const WAL_BYTES = 32 * 1024 * 1024

/** For a thread, before it opens a database. @throws Error while the process ends */
export function loadSqlite(loading: SqliteLoading): void {
  const before = Atomics.compareExchange(loading, 0, NOT_YET, LOADING)
  if (before === LOADED) return
  if (before === ENDING) throw new Error('the process ends')
  try {
    new Database(':memory:').close()
  } finally {
    Atomics.store(loading, 0, LOADED)
    Atomics.notify(loading, 0)
  }
}

/**
 * @param walBytes size of the write-ahead log that starts a checkpoint. A log that grew beyond it during a long read is truncated afterwards
 * @throws PortariaError `store_unavailable` when the file cannot be opened
 */
export function openForWriting(file: string, walBytes: number = WAL_BYTES): Connection {
  try {
    createPrivate(file)
    const db = new Database(file, { timeout: 5000 })
    requireOwn(db)
    db.pragma(`page_size = ${PAGE_SIZE}`)
    db.pragma('journal_mode = WAL')
    // better-sqlite3 ships WAL with NORMAL, which can lose the last commits on power failure.
    // A callback is acknowledged only after its commit, so it must be FULL.
    db.pragma('synchronous = FULL')
    db.pragma(`wal_autocheckpoint = ${Math.max(1, Math.floor(walBytes / PAGE_SIZE))}`)
    db.pragma(`journal_size_limit = ${walBytes}`)
    // Measured with 5 million events: 16 MiB save no CPU time.
    db.pragma('cache_size = -8192')
    // Checking references at every insert costs a sixth of the writer's time. `storage verify` and the tests check them instead.
    db.pragma('foreign_keys = OFF')
    // Removed and redacted data must not stay in free pages.
    db.pragma('secure_delete = on')
    return db
  } catch (error) {
    if (error instanceof PortariaError) throw error
    const advice = isDamaged(error) ? DAMAGED : `; ${adviceForWriting(error)}`
    throw new PortariaError('store_unavailable', `cannot open the database ${file}: ${messageOf(error)}${advice}`, {
      cause: error,
    })
  }
}

/**
 * Creates a file that only this user can read; SQLite itself would make it readable for all. An existing file is not opened, because closing it would
 * free the locks that another thread of this process holds on it.
 */
export function createPrivate(file: string): void {
  makeFolder(dirname(file), 0o700)
  refuseForeignLinks(file)
  try {
    closeSync(openSync(file, 'ax', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    accessSync(file, constants.R_OK | constants.W_OK)
  }
}

/**
 * @param cacheKiB pages of the database in memory
 * @throws PortariaError `store_missing` when there is no database yet, `store_unavailable` when this user may not read it
 */
export function openForReading(file: string, cacheKiB = 16_384): Connection {
  checkReadable(file)
  const db = new Database(file, { readonly: true, fileMustExist: true, timeout: 5000 })
  db.pragma(`cache_size = -${cacheKiB}`)
  return db
}

/** @throws as `openForReading` */
export function checkReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new PortariaError(
        'store_missing',
        `there is no database at ${file} yet: start the gateway once (${COMMAND} serve), or check storage.url`,
        { cause: error },
      )
    }
    throw new PortariaError(
      'store_unavailable',
      `the database ${file} cannot be read: ${messageOf(error)}; ${permissionAdvice()}, or check storage.url`,
      { cause: error },
    )
  }
}

export function adviceForWriting(error: unknown): string {
  return isPermissionError(error)
    ? permissionAdvice()
    : 'check that its folder exists, is writable by this user and has free space'
}

/** What to do about an error of a database in use; empty: nothing here helps. */
export function adviceForError(error: unknown): string {
  if (isDamaged(error)) return DAMAGED
  const isReadOnly = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_READONLY')
  // Linux may keep the mount as writable when a failing disk has made its file system read-only, so nothing but this error tells.
  return isReadOnly
    ? `; either its file system is read-only (look at dmesg), or this user may not write to it or to its folder: ${permissionAdvice()}`
    : ''
}

/** The disk works, but the file's content is damaged. */
export function isDamaged(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code)
}

const DAMAGED = `; keep the files as they are and restore a backup (${COMMAND} storage restore FILE)`

/** The connection must not be used after these errors: the disk failed, or the file is damaged. */
export function isBrokenConnection(error: unknown): boolean {
  return error instanceof Database.SqliteError && /^SQLITE_(IOERR|CORRUPT|NOTADB|CANTOPEN)/.test(error.code)
}

/** The disk is the cause, not the data written: full, read-only, failing. */
export function isDiskError(error: unknown): boolean {
  return (
    isBrokenConnection(error) ||
    (error instanceof Database.SqliteError && /^SQLITE_(FULL|READONLY|BUSY|LOCKED|NOMEM)/.test(error.code))
  )
}
