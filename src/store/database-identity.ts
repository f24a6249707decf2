import { statSync } from 'node:fs'
import { type DatabaseAddress, nameOfDatabase } from '../platform/postgres/postgres-address.ts'
import { realFileOf } from '../platform/real-file.ts'

/** Identifies a database between processes: two databases of one folder share a control socket, and one database may have several paths. */
export interface DatabaseIdentity {
  /** Of PostgreSQL: the name of the database. */
  readonly file: string
  /** Device and number of the file; null: there is no file. A container may see the same file at another path. */
  readonly inode: string | null
}

export function identifyDatabase(file: string): DatabaseIdentity {
  try {
    const { dev, ino } = statSync(file, { bigint: true })
    return { file: realFileOf(file), inode: `${dev}:${ino}` }
  } catch {
    // Without a file only its path identifies it.
    return { file: realFileOf(file), inode: null }
  }
}

export function identityOf(address: DatabaseAddress): DatabaseIdentity {
  return 'file' in address ? identifyDatabase(address.file) : { file: nameOfDatabase(address), inode: null }
}

export function isSameDatabase(one: DatabaseIdentity, other: DatabaseIdentity): boolean {
  return one.file === other.file || (one.inode !== null && one.inode === other.inode)
}
