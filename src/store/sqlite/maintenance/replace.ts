/**
 * A restored backup must not repeat a position that a poller has passed: its sequences move on by 1,000,000,000, and
 * the gap is recorded, so that the audit chain still verifies. A row of `removals` with empty kind and environment
 * gives every poller one 410. The previous database gets a second name before the new one is renamed over it, so a
 * crash in between leaves one or the other.
 */

import { linkSync, renameSync, rmSync, statSync } from 'node:fs'
import { replaceFile } from '../../../platform/atomic-file.ts'
import { openForWriting } from '../database/connection.ts'
import { lastKnownFile } from '../database/last-known.ts'
import { skipPositions } from './skipped-positions.ts'

/**
 * Prepares a copy of a backup for use by a gateway.
 * @param atLeast the last position known to be assigned in the replaced database
 */
export function prepareRestored(copy: string, now: number, atLeast = 0): void {
  const db = openForWriting(copy)
  try {
    db.transaction(() => skipPositions(db, now, atLeast)).exclusive()
    // Moves everything into the one file that is about to be renamed.
    db.pragma('journal_mode = DELETE')
  } finally {
    db.close()
  }
}

/**
 * Replaces the database by another one and keeps it as `aside`. The caller holds its lock. There is a database at this path at any time.
 */
export function replaceDatabase(file: string, { by, aside }: { readonly by: string; readonly aside: string }): void {
  settleLog(file)
  if (isThere(file)) keepAside(file, aside)
  // The log of a database that was too damaged for a checkpoint.
  if (isThere(`${file}-wal`)) renameSync(`${file}-wal`, `${aside}-wal`)
  rmSync(`${file}-shm`, { force: true })
  // The note is about the replaced database. After a crash here, the next start compares nothing.
  rmSync(lastKnownFile(file), { force: true })
  replaceFile(by, file)
}

/** Moves the whole log into the database, so that one file contains everything. */
function settleLog(file: string): void {
  if (!isThere(file)) return
  try {
    const db = openForWriting(file)
    try {
      db.pragma('wal_checkpoint(TRUNCATE)')
      // A later reader then creates no log beside it. It fails while another process reads.
      db.pragma('journal_mode = DELETE')
    } finally {
      db.close()
    }
  } catch {
    // A damaged database may be why it is replaced: its log is kept beside it.
  }
}

function keepAside(file: string, aside: string): void {
  try {
    linkSync(file, aside)
  } catch {
    // Not every file system supports hard links.
    renameSync(file, aside)
  }
}

function isThere(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined
}
