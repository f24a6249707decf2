import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { FreeSpace } from '../domain/disk-pressure.ts'
import { fileSystemSpace } from '../platform/free-space.ts'
import { realFileOf } from '../platform/real-file.ts'

/** Of the file system of a database, also before the database exists; null: the system does not say. It takes microseconds. */
export function freeSpaceFor(database: string): FreeSpace | null {
  try {
    const walBytes = statSync(`${realFileOf(database)}-wal`, { throwIfNoEntry: false })?.size ?? 0
    return { ...fileSystemSpace(nearestExisting(database)), walBytes }
  } catch {
    return null
  }
}

/** The path itself, or the closest folder above it that exists. */
export function nearestExisting(path: string): string {
  let place = path
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place)
  return place
}
