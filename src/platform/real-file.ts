import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The file behind symbolic links, also one that does not exist yet. A broken link stays unresolved. */
export function realFileOf(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    const folder = dirname(file)
    return folder === file || isThere(file) ? file : join(realFileOf(folder), basename(file))
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}
