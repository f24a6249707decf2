import { readFileSync, renameSync, rmSync } from 'node:fs'
import type { Database as Connection } from 'better-sqlite3'
import { createFile } from '../../../platform/atomic-file.ts'
import { PortariaError } from '../../../platform/errors.ts'
import { COMMAND } from '../../../platform/installation.ts'
import { permissionAdvice } from '../../../platform/permission.ts'
import { lastGiven } from './last-position.ts'

/**
 * A note beside the database with its last known position: at a start the database must not hold less. It is written after the commit was synced, so it is
 * never ahead of the database.
 */
export interface LastKnown {
  /** The random name of the database; a backup has the same name. */
  readonly database: string
  /** The last assigned position. */
  readonly position: number
  /** The sum of all assigned numbers that are never reused, in tables that only synced commits fill. */
  readonly assigned: number
  /** Device and inode number of the file; null: unknown. */
  readonly inode: string | null
  readonly logInode: string | null
  /** From the header of the database; null: unknown. */
  readonly schemaCookie: number | null
  readonly changes: number | null
  readonly savedAt: string
  /** Text, if another program changed the database of a running gateway, which may have damaged it; otherwise null. */
  readonly damage: string | null
  /** Path of the copy that the gateway saved when the database's last name was removed; otherwise null. */
  readonly rescued: string | null
}

/** The state of a database that is compared. */
export type Found = Pick<LastKnown, 'database' | 'position' | 'assigned'>

export function lastKnownFile(file: string): string {
  return `${file}.position`
}

/** null: no note. A malformed note counts as position 0, because there was a database. */
export function readLastKnown(file: string): LastKnown | null {
  let text: string
  try {
    text = readFileSync(lastKnownFile(file), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new PortariaError(
      'store_unavailable',
      `${lastKnownFile(file)} cannot be read: ${(error as Error).message}; ${permissionAdvice()}`,
      { cause: error },
    )
  }
  return { ...NOTHING_KNOWN, ...parsed(text) }
}

export const NOTHING_KNOWN: LastKnown = {
  database: '',
  position: 0,
  assigned: 0,
  inode: null,
  logInode: null,
  schemaCookie: null,
  changes: null,
  savedAt: 'an unknown time',
  damage: null,
  rescued: null,
}

function parsed(text: string): Partial<LastKnown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

/** Ignores `savedAt`. */
export function isSameKnown(one: LastKnown, other: LastKnown): boolean {
  return JSON.stringify({ ...one, savedAt: '' }) === JSON.stringify({ ...other, savedAt: '' })
}

/** Replaces the note atomically, and never follows a link. @throws Error of the file system */
export function writeLastKnown(file: string, known: LastKnown, { isSynced }: { readonly isSynced: boolean }): void {
  const written = `${lastKnownFile(file)}.new`
  // The remains of a killed process, perhaps of another user.
  rmSync(written, { force: true })
  createFile(written, `${JSON.stringify(known)}\n`, { mode: 0o600, isSynced })
  renameSync(written, lastKnownFile(file))
}

/**
 * Before a migration: a crash within it may leave a database of either schema beside the log, which must not look like another database's.
 * @throws Error of the file system
 */
export function forgetSchema(file: string, known: LastKnown): void {
  writeLastKnown(file, { ...known, schemaCookie: null }, { isSynced: true })
}

/** Reads the state of a database, without what a power failure may undo: consumers and runs of the search index get their numbers in commits that are not synced. */
export function createFinder(db: Connection): () => Found {
  const hasTables = db.prepare("select 1 from sqlite_schema where name = 'meta'").get() !== undefined
  if (!hasTables) return () => ({ database: '', position: 0, assigned: 0 })
  const name = db.prepare<[], string>("select value from meta where key = 'database'").pluck()
  const assigned = db
    .prepare<[], number>(
      "select coalesce(sum(seq), 0) from sqlite_sequence where name not in ('consumers', 'search_runs', 'events')",
    )
    .pluck()
  return () => {
    const position = lastGiven(db)
    return { database: name.get() ?? '', position, assigned: (assigned.get() ?? 0) + position }
  }
}

/** Gives the database a random name, once. */
export function nameDatabase(db: Connection): void {
  db.exec("insert into meta (key, value) values ('database', lower(hex(randomblob(16)))) on conflict (key) do nothing")
}

/** @throws PortariaError `store_unavailable` for another database, or one that holds less than known */
export function refuseLess(file: string, known: LastKnown, found: Found): void {
  if (known.damage !== null) throw damaged(file, known)
  if (known.database !== '' && found.database !== '' && known.database !== found.database)
    throw refused(
      `${file} is another database than the one that was here, which ${heldWords(known)} (${notedIn(file)}).`,
      known,
    )
  if (found.position < known.position)
    throw refused(
      `${file} ends at position ${found.position}, but the database that was here ${heldWords(known)} (${notedIn(file)}): ${olderCopy(file)}`,
      known,
    )
  if (found.assigned < known.assigned)
    throw refused(
      `${file} holds less than the database that was here at ${known.savedAt} (${notedIn(file)}): ${olderCopy(file)}`,
      known,
    )
}

/** The error for a database that is missing or empty now. */
export function missing(file: string, known: LastKnown, what: string): PortariaError {
  const found = `${file} ${what}, but the database that was here ${heldWords(known)} (${notedIn(file)}):`
  return refused(`${found} is its disk mounted, was it moved or removed?`, known)
}

function damaged(file: string, { damage, savedAt }: LastKnown): PortariaError {
  return new PortariaError(
    'store_unavailable',
    [
      `${file} may be damaged: ${damage}, while the gateway ran, at ${savedAt}. Restore a backup (${COMMAND} storage restore FILE);`,
      `or look at it (${COMMAND} storage verify --chain), and if nothing but its end is missing, go on with it: ${COMMAND} storage confirm-loss`,
    ].join(' '),
  )
}

function refused(words: string, { rescued }: LastKnown): PortariaError {
  const backup =
    rescued === null
      ? `restore a backup (${COMMAND} storage restore FILE)`
      : `restore what the gateway saved when it was removed (${COMMAND} storage restore ${rescued})`
  return new PortariaError(
    'store_unavailable',
    `${words} Put the database and its -wal file back as they were, or ${backup}; to give up what is missing: ${COMMAND} storage confirm-loss`,
  )
}

function heldWords({ position, savedAt }: LastKnown): string {
  return position === 0 ? `was in use at ${savedAt}` : `held events up to position ${position} at ${savedAt}`
}

function olderCopy(file: string): string {
  return `it is an older copy, or its log ${file}-wal is missing.`
}

function notedIn(file: string): string {
  return `noted in ${lastKnownFile(file)}`
}
