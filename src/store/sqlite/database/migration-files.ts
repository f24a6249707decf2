import { readdirSync, readFileSync } from 'node:fs'
import type { Connection } from './connection.ts'

const FOLDER = new URL('./migrations/', import.meta.url)
const SCHEMA = new URL('../schema.sql', import.meta.url)

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

export function newestVersion(): number {
  return readMigrations().at(-1)?.version ?? 0
}

let schema: string | undefined

/** Makes in an empty database what all migrations together make, in a quarter of their time. Inside a transaction. */
export function createSchema(db: Connection): void {
  schema ??= readFileSync(SCHEMA, 'utf8')
  db.exec(schema)
}

/** Applies one migration, which may change the text of the schema itself. Inside the transaction. */
export function applyMigration(db: Connection, { sql }: Migration): void {
  db.unsafeMode(true)
  try {
    db.exec(sql)
  } finally {
    db.unsafeMode(false)
  }
}
