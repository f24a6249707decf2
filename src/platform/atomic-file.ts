import { closeSync, fchmodSync, fchownSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

interface NewFile {
  /** Set whatever the umask is. */
  readonly mode: number
  /** Left out: the user of this process. */
  readonly owner?: { readonly uid: number; readonly gid: number }
  /** Whether the content is on disk on return (default). Its name is only once its folder is synced. */
  readonly isSynced?: boolean
}

/**
 * Creates a file with all of its content, or none: a disk that is full leaves no part of it. No other user can read it before its mode is set.
 * @throws Error of the file system, EEXIST for a path that exists
 */
export function createFile(
  path: string,
  content: string | Uint8Array,
  { mode, owner, isSynced = true }: NewFile,
): void {
  const descriptor = openSync(path, 'wx', 0o600)
  try {
    writeFileSync(descriptor, content)
    if (owner !== undefined) fchownSync(descriptor, owner.uid, owner.gid)
    fchmodSync(descriptor, mode)
    if (isSynced) fsyncSync(descriptor)
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
}

/** Puts one file in the place of another, so that a reader finds either of them whole. The rename is on disk on return. */
export function replaceFile(from: string, to: string): void {
  renameSync(from, to)
  syncFolder(dirname(to))
}

/** Without it, a power failure may undo a rename, or the creation or removal of a file. */
export function syncFolder(folder: string): void {
  syncPath(folder, 'r')
}

export function syncFile(file: string): void {
  syncPath(file, 'r+')
}

function syncPath(path: string, flags: 'r' | 'r+'): void {
  const descriptor = openSync(path, flags)
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
