/**
 * SQLite continues in files that have lost their names. The database's own descriptor is never closed while SQLite has
 * the file open: POSIX locks belong to the process, and closing any descriptor of a file frees all of them. A WAL may
 * shrink and start again by itself.
 */

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { Connection } from './connection.ts'
import { APPLICATION_ID, inodeOf, readAt } from './database-file.ts'
import {
  type FileHeader,
  FRAME_HEADER_BYTES,
  frameOffset,
  HEADER_BYTES,
  isFrameOf,
  LOG_HEADER_BYTES,
  type LogHeader,
  parseFileHeader,
  parseLogHeader,
} from './file-header.ts'
import type { LastKnown } from './last-known.ts'

/** A change that another program made to the files of an open database. */
export interface Difference {
  readonly words: string
  /** false: only names were removed or changed, and the open files are intact. */
  readonly isDamage: boolean
}

export interface FileWatch {
  /** Compares the files with the open ones; null: unchanged. It takes microseconds. Outside of transactions. */
  look(): Difference | null
  /** Whether the database has no name left, so that it is lost when this process ends. */
  isDatabaseRemoved(): boolean
  /** false: another process may own the database now. */
  isLockHeld(): boolean
  /** The fields of LastKnown for the next start. */
  marks(): Pick<LastKnown, 'inode' | 'logInode' | 'schemaCookie' | 'changes'>
  close(): void
}

/** The most frames that one comparison reads; of more, only every second, third … one, so that it does not delay commits under load. */
const FRAMES_A_LOOK = 512

interface Log {
  readonly salts: Buffer
  readonly frames: number
}

/**
 * SQLite continues to use a file whose name was removed, and writes beyond the end of a truncated one. Therefore names and contents are compared. Our own
 * connection may truncate and restart the log: the check is that the log contains the frames that SQLite relies on.
 * @param db the writing connection
 * @param descriptor of the database, which stays open: closing it would free all locks that this process has on the file
 */
export function watchFiles(db: Connection, file: string, descriptor: number): FileWatch {
  const names = ['', '-wal', '-shm', '.lock'].map((end) => ({ path: `${file}${end}`, inode: inodeOf(`${file}${end}`) }))
  const cookie = db.pragma('schema_version', { simple: true }) as number
  // Nothing locks the log itself, so its descriptor may be closed.
  const logDescriptor = openSync(`${file}-wal`, 'r')
  const frame = Buffer.alloc(FRAME_HEADER_BYTES)
  /** Of the file, as `findDamage` saw it last; so is the header. */
  let size = 0
  let header: FileHeader | null = null
  /** The write-ahead log, as `findLogDamage` saw it last. */
  let log: Log | null = null

  function findOther(): string | null {
    for (const { path, inode } of names) {
      const now = currentInode(path)
      if (now === undefined || now === inode) continue
      return now === null ? `${path} was removed or renamed` : `${path} was replaced by another file`
    }
    return null
  }

  function findDamage(): string | null {
    const { size: now } = fstatSync(descriptor)
    if (now < size) return `${file} was cut off from ${size} to ${now} bytes`
    size = now
    const found = parseFileHeader(readAt(descriptor, 0, HEADER_BYTES))
    if (found === null || isOther(found)) return `${file} was overwritten`
    header = found
    return findLogDamage()
  }

  /** A new schema and our application id may still be in the log only. */
  function isOther(found: FileHeader): boolean {
    if (header === null) return false
    const isSameSchema = found.schemaCookie === header.schemaCookie || found.schemaCookie === cookie
    const isOwn = found.applicationId === header.applicationId || found.applicationId === APPLICATION_ID
    const isLater = found.changes >= header.changes && (found.pages ?? 0) >= (header.pages ?? 0)
    return !(isSameSchema && isOwn && isLater && found.pageSize === header.pageSize)
  }

  function findLogDamage(): string | null {
    const before = log
    const frames = framesOf(db)
    log = null
    if (frames === 0) return null
    const found = parseLogHeader(readAt(logDescriptor, 0, LOG_HEADER_BYTES))
    const isSameLog = before !== null && found?.salts.equals(before.salts) === true
    const first = isSameLog ? Math.min(before.frames, frames) : 1
    if (found === null || !areFrames(found, first, frames)) return `${file}-wal was cut off or overwritten`
    log = { salts: found.salts, frames }
    return null
  }

  /** A log that was truncated since the last comparison, and continued, has a gap among the newer frames. */
  function areFrames(header: LogHeader, first: number, last: number): boolean {
    const step = Math.ceil((last - first + 1) / FRAMES_A_LOOK)
    for (let number = last; number >= first; number -= step) {
      const bytes = readSync(logDescriptor, frame, 0, frame.length, frameOffset(number, header.pageSize))
      if (bytes < frame.length || !isFrameOf(header, frame)) return false
    }
    return fstatSync(logDescriptor).size >= frameOffset(last + 1, header.pageSize)
  }

  /** A failing disk is reported by the next commit. */
  function findReadableDamage(): string | null {
    try {
      return findDamage()
    } catch {
      return null
    }
  }

  return {
    look() {
      const damage = findReadableDamage()
      if (damage !== null) return { words: damage, isDamage: true }
      const other = findOther()
      return other === null ? null : { words: other, isDamage: false }
    },
    isDatabaseRemoved: () => fstatSync(descriptor).nlink === 0,
    isLockHeld: () => currentInode(`${file}.lock`) === names[3]?.inode,
    marks: () => ({
      inode: names[0]?.inode ?? null,
      logInode: names[1]?.inode ?? null,
      schemaCookie: header?.schemaCookie === cookie ? cookie : null,
      changes: header?.changes ?? null,
    }),
    close: () => closeSync(logDescriptor),
  }
}

/** The number of valid frames in the log. Changes nothing and does not wait. */
function framesOf(db: Connection): number {
  const [state] = db.pragma('wal_checkpoint(noop)') as { log: number }[]
  return Math.max(0, state?.log ?? 0)
}

/** undefined: unknown, such as in a folder without access any more. The open files remain usable. */
function currentInode(path: string): string | null | undefined {
  try {
    return inodeOf(path)
  } catch {
    return undefined
  }
}
