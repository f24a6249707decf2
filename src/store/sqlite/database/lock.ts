import Database from 'better-sqlite3'
import { messageOf, PortariaError } from '../../../platform/errors.ts'
import { refuseForeignLinks } from '../../../platform/foreign-links.ts'
import { isPermissionError } from '../../../platform/permission.ts'
import { realFileOf } from '../../../platform/real-file.ts'
import { adviceForWriting, createPrivate } from './connection.ts'
import { refuseDanglingLink } from './database-file.ts'

/**
 * Makes this process the only owner of the database, under whatever links it is named. The lock is an exclusive transaction on a small file beside the
 * real database, which the kernel ends when the process dies.
 * @param waitMs how long to wait, blocking this thread, for another owner: commands own the database only for a moment
 * @returns the function that unlocks
 * @throws PortariaError `store_locked`, or `store_unavailable` when the second file cannot be written or the link leads nowhere
 */
export function lockDatabase(named: string, waitMs: number): () => void {
  const file = ownFileOf(named)
  const lock = openLock(`${file}.lock`, waitMs)
  try {
    lock.exec('begin exclusive')
  } catch (error) {
    lock.close()
    if (!(error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY'))) throw unusable(file, error)
    throw new PortariaError(
      'store_locked',
      `another portaria process owns ${file}: stop it first, under systemd with its sockets (systemctl stop portaria.socket portaria-charges.socket portaria-api.socket portaria.service), or give this one a storage.url of its own`,
      { cause: error },
    )
  }
  return function unlock() {
    lock.close()
  }
}

function ownFileOf(named: string): string {
  try {
    // Before any link is followed: root would create the lock wherever another user's link leads.
    refuseForeignLinks(named)
    const file = realFileOf(named)
    refuseDanglingLink(file)
    return file
  } catch (error) {
    throw isPermissionError(error) ? unusable(named, error) : error
  }
}

function openLock(file: string, waitMs: number): Database.Database {
  try {
    createPrivate(file)
    return new Database(file, { timeout: waitMs })
  } catch (error) {
    throw unusable(file, error)
  }
}

function unusable(file: string, error: unknown): PortariaError {
  return new PortariaError(
    'store_unavailable',
    `cannot lock the database ${file}: ${messageOf(error)}; ${adviceForWriting(error)}`,
    { cause: error },
  )
}
