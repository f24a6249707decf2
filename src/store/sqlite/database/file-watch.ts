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

/** What another program did to the files of an open database. */
export interface Difference {
  readonly words: string
  /** false: only names are gone or changed, and what is held open is whole. */
  readonly isDamage: boolean
}

export interface FileWatch {
  /** Compares the files with what is held open; null: they are as they should be. Some microseconds, in no transaction. */
  look(): Difference | null
  /** No name leads to the held database any more: it is gone when this process ends. */
  isDatabaseRemoved(): boolean
  /** false: another process may own the database by now. */
  isLockHeld(): boolean
  /** For the next start, as in LastKnown. */
  marks(): Pick<LastKnown, 'inode' | 'logInode' | 'schemaCookie' | 'changes'>
  close(): void
}

/** Beyond so many only every other one, every third and so on: under load a look must not keep commits waiting. */
const FRAMES_A_LOOK = 512

interface Log {
  readonly salts: Buffer
  readonly frames: number
}

/**
 * SQLite goes on in a file that has lost its name, and writes behind the end of one that was cut off. So names and contents are compared. The log
 * may shrink and start anew when its own connection wants it to: what counts is that it holds the frames that SQLite counts on.
 * @param db the writing connection
 * @param descriptor of the database, held open. Closing it would free all locks that this process has on the file.
 */
export function watchFiles(db: Connection, file: string, descriptor: number): FileWatch {
  const names = ['', '-wal', '-shm', '.lock'].map((end) => ({ path: `${file}${end}`, inode: inodeOf(`${file}${end}`) }))
  const cookie = db.pragma('schema_version', { simple: true }) as number
  // Nobody locks the log itself.
  const logDescriptor = openSync(`${file}-wal`, 'r')
  const frame = Buffer.alloc(FRAME_HEADER_BYTES)
  let size = 0
  let header: FileHeader | null = null
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

  /** The log with a new schema and our mark may not be in the database yet. */
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

  /** Where the log was cut off since the look before, and written on, there is a gap in what was written since. */
  function areFrames(header: LogHeader, first: number, last: number): boolean {
    const step = Math.ceil((last - first + 1) / FRAMES_A_LOOK)
    for (let number = last; number >= first; number -= step) {
      const bytes = readSync(logDescriptor, frame, 0, frame.length, frameOffset(number, header.pageSize))
      if (bytes < frame.length || !isFrameOf(header, frame)) return false
    }
    return fstatSync(logDescriptor).size >= frameOffset(last + 1, header.pageSize)
  }

  /** A disk that fails is for the next commit to find. */
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

/** How much of the log counts; it changes nothing and waits for nobody. */
function framesOf(db: Connection): number {
  const [state] = db.pragma('wal_checkpoint(noop)') as { log: number }[]
  return Math.max(0, state?.log ?? 0)
}

/** undefined: it cannot be said, as in a folder that may not be entered any more; what is held open goes on. */
function currentInode(path: string): string | null | undefined {
  try {
    return inodeOf(path)
  } catch {
    return undefined
  }
}
