import { statfsSync } from 'node:fs'

/** In bytes. */
export interface FileSystemSpace {
  /** For a process without privileges. */
  readonly freeBytes: number
  readonly totalBytes: number
}

/** Of the file system that an existing path is on. It takes microseconds. @throws Error of the file system */
export function fileSystemSpace(path: string): FileSystemSpace {
  const { bavail, blocks, bsize } = statfsSync(path)
  return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
}
