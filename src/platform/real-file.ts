import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The file behind symbolic links, also where it does not exist yet. A link that leads nowhere stays as it is. */
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
