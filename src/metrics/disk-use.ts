import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileSystemSpace } from '../platform/free-space.ts'

/** In bytes. */
export interface DiskUse {
  readonly databaseBytes: number
  readonly walBytes: number
  /** For a process without privileges. */
  readonly freeBytes: number
}

/** @throws when the file system cannot be asked */
export async function measureDisk(databaseFile: string): Promise<DiskUse> {
  const [databaseBytes, walBytes] = await Promise.all([sizeOf(databaseFile), sizeOf(`${databaseFile}-wal`)])
  return { databaseBytes, walBytes, freeBytes: fileSystemSpace(dirname(databaseFile)).freeBytes }
}

/** 0: it is not there. */
async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  )
}
