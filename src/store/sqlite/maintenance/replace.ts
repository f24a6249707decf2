import { linkSync, renameSync, rmSync, statSync } from 'node:fs'
import { replaceFile } from '../../../platform/atomic-file.ts'
import { openForWriting } from '../database/connection.ts'
import { lastKnownFile } from '../database/last-known.ts'
import { skipPositions } from './skipped-positions.ts'

/**
 * Makes a copy of a backup what a gateway may go on with.
 * @param atLeast the last position that is known to have been given in the database that goes
 */
export function prepareRestored(copy: string, now: number, atLeast = 0): void {
  const db = openForWriting(copy)
  try {
    db.transaction(() => skipPositions(db, now, atLeast)).exclusive()
    // All of it in the one file that is about to be renamed.
    db.pragma('journal_mode = DELETE')
  } finally {
    db.close()
  }
}

/**
 * Puts another database in the place of this one, which is kept under a name of its own. Whoever calls this owns the database, and nobody finds none
 * in its place at any time.
 */
export function replaceDatabase(file: string, { by, aside }: { readonly by: string; readonly aside: string }): void {
  settleLog(file)
  if (isThere(file)) keepAside(file, aside)
  // Of a database that was too damaged to take it in.
  if (isThere(`${file}-wal`)) renameSync(`${file}-wal`, `${aside}-wal`)
  rmSync(`${file}-shm`, { force: true })
  // It was told of the database that goes; after a crash here nothing is compared.
  rmSync(lastKnownFile(file), { force: true })
  replaceFile(by, file)
}

/** Moves the whole log into the database, so that one file is all of it. */
function settleLog(file: string): void {
  if (!isThere(file)) return
  try {
    const db = openForWriting(file)
    try {
      db.pragma('wal_checkpoint(TRUNCATE)')
      // Whoever looks at it later makes no log beside it. It fails where somebody is looking now.
      db.pragma('journal_mode = DELETE')
    } finally {
      db.close()
    }
  } catch {
    // It is damaged, which may be why it is replaced: its log is kept beside it.
  }
}

function keepAside(file: string, aside: string): void {
  try {
    linkSync(file, aside)
  } catch {
    // Not every file system gives a file two names.
    renameSync(file, aside)
  }
}

function isThere(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined
}
