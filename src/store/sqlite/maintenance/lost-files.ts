import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { messageOf, PortariaError } from '../../../platform/errors.ts'
import { COMMAND } from '../../../platform/installation.ts'
import { type Connection, createPrivate } from '../database/connection.ts'
import type { Difference, FileWatch } from '../database/file-watch.ts'
import { type LastKnown, writeLastKnown } from '../database/last-known.ts'
import { saveCopy } from './backup.ts'

interface Loss {
  readonly db: Connection
  /** The database's real path. */
  readonly file: string
  readonly watch: FileWatch
  readonly difference: Difference
  /** The note for the next start. */
  readonly known: LastKnown
}

/**
 * Saves the data after another program has changed the files of the open database: copies a database that has no name left, writes a note for the next
 * start, and changes nothing else. Blocks its thread while it copies.
 * @returns the error for the operator
 */
export function salvage({ db, file, watch, difference, known }: Loss): PortariaError {
  const happened = `${difference.words} by another program`
  const note = { ...known, damage: difference.isDamage ? difference.words : null }
  if (difference.isDamage) {
    leaveNote(file, note)
    return lost(
      `${happened}: restore a backup (${COMMAND} storage restore FILE), or look at it (${COMMAND} storage verify --chain)`,
    )
  }
  if (!watch.isDatabaseRemoved()) {
    leaveNote(file, note)
    const saved = watch.isLockHeld() && isLogCheckpointed(db) ? '; all that was received is in the database itself' : ''
    return lost(`${happened}${saved}: put back what is not there, then start the gateway again`)
  }
  try {
    const rescued = rescue(db, file)
    leaveNote(file, { ...note, rescued })
    return lost(`${happened}; all that it held is saved as ${rescued}: ${COMMAND} storage restore ${rescued}`)
  } catch (error) {
    leaveNote(file, note)
    return lost(
      `${happened}, and could not be saved: ${messageOf(error)}; restore a backup (${COMMAND} storage restore FILE)`,
    )
  }
}

function lost(words: string): PortariaError {
  return new PortariaError('store_unavailable', `the gateway has lost its database: ${words}`)
}

/** SQLite can still read a database whose names were removed. */
function rescue(db: Connection, file: string): string {
  makeFolderFor(file)
  const target = `${file}.rescued-${new Date().toISOString().replace(/[:.]/g, '')}`
  createPrivate(target)
  saveCopy(db, target, 0)
  return target
}

/** Whether all of the log is in the database now, also if the log's name was removed. */
function isLogCheckpointed(db: Connection): boolean {
  try {
    const [checkpoint] = db.pragma('wal_checkpoint(FULL)') as { busy: number; log: number; checkpointed: number }[]
    return checkpoint?.busy === 0 && checkpoint.log === checkpoint.checkpointed
  } catch {
    return false
  }
}

/** Creates a missing folder, too: a start without a note would create a new database. */
function leaveNote(file: string, known: LastKnown): void {
  try {
    makeFolderFor(file)
    writeLastKnown(file, known, { isSynced: true })
  } catch {
    // The log line contains the same information.
  }
}

function makeFolderFor(file: string): void {
  if (!existsSync(dirname(file))) mkdirSync(dirname(file), { mode: 0o700 })
}
