import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { messageOf, PortariaError } from '../../../platform/errors.ts'
import { saveCopy } from '../maintenance/backup.ts'
import { type Connection, createPrivate } from './connection.ts'
import type { Difference, FileWatch } from './file-watch.ts'
import { type LastKnown, writeLastKnown } from './last-known.ts'

interface Loss {
  readonly db: Connection
  /** The database's real path. */
  readonly file: string
  readonly watch: FileWatch
  readonly difference: Difference
  /** What the next start compares the database with. */
  readonly known: LastKnown
}

/**
 * The files of the open database were changed by another program: saves what is still held open, leaves a note for the next start, and changes
 * nothing else. It blocks its thread for as long as a copy takes.
 * @returns what to tell the operator
 */
export function salvage({ db, file, watch, difference, known }: Loss): PortariaError {
  const happened = `${difference.words} by another program`
  const note = { ...known, damage: difference.isDamage ? difference.words : null }
  if (difference.isDamage) {
    leaveNote(file, note)
    return lost(
      `${happened}: restore a backup (portaria storage restore FILE), or look at it (portaria storage verify --chain)`,
    )
  }
  if (!watch.isDatabaseRemoved()) {
    leaveNote(file, note)
    const saved = watch.isLockHeld() && isLogTakenIn(db) ? '; all that was received is in the database itself' : ''
    return lost(`${happened}${saved}: put back what is not there, then start the gateway again`)
  }
  try {
    const rescued = rescue(db, file)
    leaveNote(file, { ...note, rescued })
    return lost(`${happened}; all that it held is saved as ${rescued}: portaria storage restore ${rescued}`)
  } catch (error) {
    leaveNote(file, note)
    return lost(
      `${happened}, and could not be saved: ${messageOf(error)}; restore a backup (portaria storage restore FILE)`,
    )
  }
}

function lost(words: string): PortariaError {
  return new PortariaError('store_unavailable', `the gateway has lost its database: ${words}`)
}

/** SQLite goes on reading what has lost its names. */
function rescue(db: Connection, file: string): string {
  makeFolderFor(file)
  const target = `${file}.rescued-${new Date().toISOString().replace(/[:.]/g, '')}`
  createPrivate(target)
  saveCopy(db, target, 0)
  return target
}

/** Whatever became of the log's name. */
function isLogTakenIn(db: Connection): boolean {
  try {
    const [checkpoint] = db.pragma('wal_checkpoint(FULL)') as { busy: number; log: number; checkpointed: number }[]
    return checkpoint?.busy === 0 && checkpoint.log === checkpoint.checkpointed
  } catch {
    return false
  }
}

/** Also where the whole folder is gone: a start that finds no note makes a new database. */
function leaveNote(file: string, known: LastKnown): void {
  try {
    makeFolderFor(file)
    writeLastKnown(file, known, { isSynced: true })
  } catch {
    // There is no place for it: the log line has told it.
  }
}

function makeFolderFor(file: string): void {
  if (!existsSync(dirname(file))) mkdirSync(dirname(file), { mode: 0o700 })
}
