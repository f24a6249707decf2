/** Folders are made one by one: Node's recursive mkdir never ends where a folder is missing and cannot be made (/proc). */

import { existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { inFolderOf } from './foreign-links.ts'

/**
 * Creates a folder and its missing parents. Throws the system's error.
 * Node's recursive mkdir never ends in places such as /proc, where a folder can be missing and cannot be created.
 */
export function makeFolder(folder: string, mode = 0o777): void {
  const missing: string[] = []
  for (let at = resolve(folder); !existsSync(at); at = dirname(at)) missing.unshift(at)
  for (const path of missing) makeOne(path, mode)
}

function makeOne(path: string, mode: number): void {
  try {
    inFolderOf(path, (at) => mkdirSync(at, { mode }))
  } catch (error) {
    // Another process has just created it.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}
