import { statSync } from 'node:fs'
import { realFileOf } from '../platform/real-file.ts'

/** Which database a process means. Two of one folder share a control socket, and one may be reached by several paths. */
export interface DatabaseIdentity {
  readonly file: string
  /** Device and number of the file; null: it is not there. A container may see the same file at another path. */
  readonly inode: string | null
}

export function identifyDatabase(file: string): DatabaseIdentity {
  try {
    const { dev, ino } = statSync(file, { bigint: true })
    return { file: realFileOf(file), inode: `${dev}:${ino}` }
  } catch {
    // Not there yet, or any more: the path is all that is known.
    return { file: realFileOf(file), inode: null }
  }
}

export function isSameDatabase(one: DatabaseIdentity, other: DatabaseIdentity): boolean {
  return one.file === other.file || (one.inode !== null && one.inode === other.inode)
}
