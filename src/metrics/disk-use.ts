import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

/** In bytes. */
export interface DiskUse {
  readonly databaseBytes: number
  readonly walBytes: number
  /** For a process without privileges. */
  readonly freeBytes: number
}

/** @throws when the file system cannot be asked */
export async function measureDisk(databaseFile: string): Promise<DiskUse> {
  const [database, wal, fileSystem] = await Promise.all([
    sizeOf(databaseFile),
    sizeOf(`${databaseFile}-wal`),
    statfs(dirname(databaseFile)),
  ])
  return { databaseBytes: database, walBytes: wal, freeBytes: fileSystem.bavail * fileSystem.bsize }
}

/** 0: it is not there. */
async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  )
}
