/**
 * Compares the schema of a database with the schema that the migrations build up to its version. Building it in memory takes 4 ms. Comments, white space
 * and quotes of names do not count: the text of a statement keeps them from the time at which the database was created.
 */

import Database from 'better-sqlite3'
import { PortariaError } from '../../../platform/errors.ts'
import { COMMAND } from '../../../platform/installation.ts'
import type { Connection } from './connection.ts'
import { applyMigration, type Migration, readMigrations } from './migration-files.ts'

/** A table, index, view or trigger. */
interface SchemaObject {
  readonly type: string
  readonly name: string
  /** Normalized. */
  readonly sql: string
  /** Of a table, by name: the definition of each column. */
  readonly columns: ReadonlyMap<string, string>
}

type Schema = ReadonlyMap<string, SchemaObject>

/** @throws PortariaError `store_unavailable` for a database whose schema is not the one of its version */
export function refuseOtherSchema(db: Connection): void {
  const differences = schemaDifferences(db)
  if (differences.length === 0) return
  const shown = differences.slice(0, SHOWN).join('; ')
  const more = differences.length > SHOWN ? `; and ${differences.length - SHOWN} more differences` : ''
  throw new PortariaError(
    'store_unavailable',
    `the database ${db.name} differs from schema ${schemaVersion(db)} of Portaria: ${shown}${more}. ` +
      'It was not changed. Another program or an unreleased Portaria has changed it: undo that change with the program that made it, ' +
      `or restore a backup (${COMMAND} storage restore FILE)`,
  )
}

const SHOWN = 5

/** In words; none: the schema is the one of its version. A version that is newer than the migrations has no known schema, so nothing is compared. */
export function schemaDifferences(db: Connection): string[] {
  // One moment: a gateway may be migrating the database.
  const { version, found } = db.transaction(() => ({ version: schemaVersion(db), found: readSchema(db) }))()
  const expected = expectedSchema(version)
  if (expected === null) return []
  const names = new Set([...expected.keys(), ...found.keys()])
  return [...names].flatMap((name) => differencesOf(expected.get(name), found.get(name)))
}

export function schemaVersion(db: Connection): number {
  return db.pragma('user_version', { simple: true }) as number
}

const expectedSchemas = new Map<number, Schema>()

/** null: no migration leads to this version. Made once for each version: it takes as long as all migrations. */
function expectedSchema(version: number): Schema | null {
  const migrations = readMigrations()
  if (version > (migrations.at(-1)?.version ?? 0)) return null
  const schema = expectedSchemas.get(version) ?? buildSchema(migrations.filter((one) => one.version <= version))
  expectedSchemas.set(version, schema)
  return schema
}

function buildSchema(migrations: readonly Migration[]): Schema {
  const db = new Database(':memory:')
  try {
    for (const migration of migrations) applyMigration(db, migration)
    return readSchema(db)
  } finally {
    db.close()
  }
}

/** Without the tables and indexes that SQLite creates by itself. */
function readSchema(db: Connection): Schema {
  const rows = db
    .prepare<[], { type: string; name: string; sql: string }>(
      `select type, name, sql from sqlite_schema where name not like 'sqlite\\_%' escape '\\' order by rowid`,
    )
    .all()
  return new Map(
    rows.map(({ type, name, sql }) => [
      name,
      { type, name, sql: normalized(sql), columns: type === 'table' ? columnsOf(db, name) : new Map() },
    ]),
  )
}

interface ColumnRow {
  readonly name: string
  readonly type: string
  readonly notnull: number
  readonly dflt_value: string | null
  readonly pk: number
}

function columnsOf(db: Connection, table: string): Map<string, string> {
  const rows = db.prepare<[string], ColumnRow>('select * from pragma_table_xinfo(?)').all(table)
  return new Map(rows.map(({ name, type, notnull, dflt_value, pk }) => [name, [type, notnull, dflt_value, pk].join()]))
}

/** Text in single quotes stays as it is. */
function normalized(sql: string): string {
  return sql
    .replace(/('(?:[^']|'')*')|--[^\n]*|\/\*[\s\S]*?\*\/|\s+/g, (_, text?: string) => text ?? ' ')
    .replace(/"(\w+)"/g, '$1')
    .replace(/ +/g, ' ')
    .replace(/ ?([(),]) ?/g, '$1')
    .trim()
}

function differencesOf(expected: SchemaObject | undefined, found: SchemaObject | undefined): string[] {
  if (found === undefined) return expected === undefined ? [] : [`${expected.type} ${expected.name} is missing`]
  if (expected === undefined) return [`${found.type} ${found.name} does not belong to it`]
  if (found.type === expected.type && found.sql === expected.sql) return []
  const columns = columnDifferences(expected, found)
  return columns.length > 0 ? columns : [`${found.type} ${found.name} is defined in another way`]
}

function columnDifferences(expected: SchemaObject, found: SchemaObject): string[] {
  const names = new Set([...expected.columns.keys(), ...found.columns.keys()])
  return [...names].flatMap((name) => {
    const column = `column ${name} of table ${found.name}`
    if (!found.columns.has(name)) return [`${column} is missing`]
    if (!expected.columns.has(name)) return [`${column} does not belong to it`]
    return found.columns.get(name) === expected.columns.get(name) ? [] : [`${column} is defined in another way`]
  })
}
