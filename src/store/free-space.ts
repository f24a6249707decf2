import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { realFileOf } from '../domain/real-file.ts'

/** In bytes. */
export interface FreeSpace {
  /** For a process without privileges. */
  readonly freeBytes: number
  readonly totalBytes: number
  /** Of the database's log of changes. */
  readonly logBytes: number
}

/** On the file system where a database is, or would be made; null where the system does not say. It takes microseconds. */
export function freeSpaceFor(database: string): FreeSpace | null {
  try {
    const { bavail, blocks, bsize } = statfsSync(nearest(database))
    const logBytes = statSync(`${realFileOf(database)}-wal`, { throwIfNoEntry: false })?.size ?? 0
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize, logBytes }
  } catch {
    return null
  }
}

/** The file, or the folder above it that is there. */
export function nearest(path: string): string {
  let place = path
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place)
  return place
}
