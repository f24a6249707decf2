import { readFileSync, renameSync, rmSync } from 'node:fs'
import { createFile } from '../../../platform/atomic-file.ts'
import { PortariaError } from '../../../platform/errors.ts'
import { lastGiven } from '../audit/audit-points.ts'
import type { Connection } from './connection.ts'

/**
 * The last position known, kept in a small file beside the database: what is found at a start must not be less. Nothing is written to it
 * before it is committed and synced, so it never says more than the database holds.
 */
export interface LastKnown {
  /** The database's own random name; a backup has that of its database. */
  readonly database: string
  /** The last position that was given to an event. */
  readonly position: number
  /** The sum of all numbers that were given and are never used again. */
  readonly given: number
  /** Device and number of the file; null: not known. */
  readonly inode: string | null
  readonly logInode: string | null
  /** Of the database's header. */
  readonly schemaCookie: number | null
  readonly changes: number | null
  readonly savedAt: string
  /** In words, when the database was changed by another program under a running gateway and may be damaged. */
  readonly damage: string | null
  /** A copy that the gateway made of the database when its last name was removed. */
  readonly rescued: string | null
}

/** How far a database is. */
export type Found = Pick<LastKnown, 'database' | 'position' | 'given'>

export function lastKnownFile(file: string): string {
  return `${file}.position`
}

/** null: none was kept. One that cannot be read counts as position 0: there was a database. */
export function readLastKnown(file: string): LastKnown | null {
  let text: string
  try {
    text = readFileSync(lastKnownFile(file), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new PortariaError(
      'store_unavailable',
      `${lastKnownFile(file)} cannot be read: ${(error as Error).message}; make it readable for the user that the gateway runs as`,
      { cause: error },
    )
  }
  return { ...NOTHING_KNOWN, ...parsed(text) }
}

export const NOTHING_KNOWN: LastKnown = {
  ...{ database: '', position: 0, given: 0, inode: null, logInode: null, schemaCookie: null, changes: null },
  ...{ savedAt: 'an unknown time', damage: null, rescued: null },
}

function parsed(text: string): Partial<LastKnown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

/** But for when it was written. */
export function isSameKnown(one: LastKnown, other: LastKnown): boolean {
  return JSON.stringify({ ...one, savedAt: '' }) === JSON.stringify({ ...other, savedAt: '' })
}

/** Replaces the note as a whole: nobody reads half of one. @throws Error of the file system. Never through a link. */
export function writeLastKnown(file: string, known: LastKnown, { isSynced }: { readonly isSynced: boolean }): void {
  const written = `${lastKnownFile(file)}.new`
  // Of a process that was killed, perhaps another user's.
  rmSync(written, { force: true })
  createFile(written, `${JSON.stringify(known)}\n`, { mode: 0o600, isSynced })
  renameSync(written, lastKnownFile(file))
}

/** How far a database is. A consumer's number is left out: giving it is not synced. */
export function createFinder(db: Connection): () => Found {
  const hasTables = db.prepare("select 1 from sqlite_schema where name = 'meta'").get() !== undefined
  if (!hasTables) return () => ({ database: '', position: 0, given: 0 })
  const name = db.prepare<[], string>("select value from meta where key = 'database'").pluck()
  const given = db
    .prepare<[], number>("select coalesce(sum(seq), 0) from sqlite_sequence where name <> 'consumers'")
    .pluck()
  return () => ({ database: name.get() ?? '', position: lastGiven(db), given: given.get() ?? 0 })
}

/** Gives the database a name of its own, once. */
export function nameDatabase(db: Connection): void {
  db.exec("insert into meta (key, value) values ('database', lower(hex(randomblob(16)))) on conflict (key) do nothing")
}

/** @throws PortariaError `store_unavailable` for a database that holds less than was known, or is another one */
export function refuseLess(file: string, known: LastKnown, found: Found): void {
  if (known.damage !== null) throw damaged(file, known)
  if (known.database !== '' && found.database !== '' && known.database !== found.database)
    throw refused(
      `${file} is another database than the one that was here, which ${heldWords(known)} (${notedIn(file)}).`,
      known,
    )
  if (found.position < known.position)
    throw refused(
      `${file} ends at position ${found.position}, but the database that was here ${heldWords(known)} (${notedIn(file)}): it is an older copy, or its log ${file}-wal is missing.`,
      known,
    )
  if (found.given < known.given)
    throw refused(
      `${file} holds less than the database that was here at ${known.savedAt} (${notedIn(file)}): it is an older copy, or its log ${file}-wal is missing.`,
      known,
    )
}

/** There was a database, and none is there now, or an empty file. */
export function missing(file: string, known: LastKnown, what: string): PortariaError {
  const found = `${file} ${what}, but the database that was here ${heldWords(known)} (${notedIn(file)}): is its disk mounted, was it moved or removed?`
  return refused(found, known)
}

function damaged(file: string, { damage, savedAt }: LastKnown): PortariaError {
  return new PortariaError(
    'store_unavailable',
    `${file} may be damaged: ${damage}, while the gateway ran, at ${savedAt}. Restore a backup (portaria storage restore FILE); or look at it (portaria storage verify --chain), and if it is sound go on with it: portaria storage confirm-loss`,
  )
}

function refused(found: string, { rescued }: LastKnown): PortariaError {
  const backup =
    rescued === null
      ? 'restore a backup (portaria storage restore FILE)'
      : `restore what the gateway saved when it was removed (portaria storage restore ${rescued})`
  return new PortariaError(
    'store_unavailable',
    `${found} Put the database and its -wal file back as they were, or ${backup}; to give up what is missing: portaria storage confirm-loss`,
  )
}

function heldWords({ position, savedAt }: LastKnown): string {
  return position === 0 ? `was in use at ${savedAt}` : `held events up to position ${position} at ${savedAt}`
}

function notedIn(file: string): string {
  return `noted in ${lastKnownFile(file)}`
}
