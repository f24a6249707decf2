import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { programFile } from '../../../platform/program-files.ts'
import { tablesFor } from '../../sql/schema.ts'

const FOLDER = programFile('src/store/sqlite/database/migrations')

export interface Migration {
  readonly version: number
  readonly sql: string
}

let read: readonly Migration[] | undefined

/** In the order in which they are applied. Read once: the files belong to the program. */
export function readMigrations(): readonly Migration[] {
  read ??= readdirSync(FOLDER)
    .filter((name) => /^\d{3}-.+\.sql$/.test(name))
    .sort()
    .map((name) => ({ version: Number(name.slice(0, 3)), sql: readFileSync(join(FOLDER, name), 'utf8') }))
    // Until the first release.
    .map(({ version, sql }) => ({ version, sql: version === 1 ? `${tablesFor('sqlite')}\n${sql}` : sql }))
  return read
}

export function newestVersion(migrations = readMigrations()): number {
  return migrations.at(-1)?.version ?? 0
}
