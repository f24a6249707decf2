import { readdirSync, readFileSync } from 'node:fs'

const FOLDER = new URL('./migrations/', import.meta.url)

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
    .map((name) => ({ version: Number(name.slice(0, 3)), sql: readFileSync(new URL(name, FOLDER), 'utf8') }))
  return read
}

export function newestVersion(migrations = readMigrations()): number {
  return migrations.at(-1)?.version ?? 0
}
