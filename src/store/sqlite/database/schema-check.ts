/**
 * Compares the schema of a database with the schema that the migrations build up to its version. That is built in memory, in some 4 ms of CPU.
 * Comments, white space and quotes of names do not count: the text of a statement keeps them from the time at which the database was created.
 */

import Database from 'better-sqlite3'
import { PortariaError } from '../../../platform/errors.ts'
import { COMMAND } from '../../../platform/installation.ts'
import type { Connection } from './connection.ts'
import { type Migration, newestVersion, readMigrations } from './migration-files.ts'

/** A table, index, view or trigger. */
interface SchemaObject {
  readonly type: string
  readonly name: string
  readonly sql: string
  /** Of a table, by name: the definition of each column. Read only where something differs. */
  readonly columns: () => ReadonlyMap<string, string>
}

type Schema = ReadonlyMap<string, SchemaObject>

/** @throws PortariaError `store_unavailable` for a database whose schema is not the one of its version */
export function refuseOtherSchema(db: Connection, migrations = readMigrations()): void {
  const differences = schemaDifferences(db, migrations)
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
export function schemaDifferences(db: Connection, migrations = readMigrations()): string[] {
  // One moment: a gateway may be migrating the database.
  const compare = db.transaction(() => {
    const version = schemaVersion(db)
    if (version > newestVersion(migrations)) return []
    const applied = migrations.filter((migration) => migration.version <= version)
    const expected = expectedSchema(applied)
    const found = readSchema(db)
    const names = [...new Set([...expected.keys(), ...found.keys()])]
    const others = names.filter((name) => !isSame(expected.get(name), found.get(name)))
    if (others.length === 0) return []
    return withSchema(applied, (wanted) => others.flatMap((name) => differencesOf(wanted.get(name), found.get(name))))
  })
  return compare()
}

export function schemaVersion(db: Connection): number {
  return db.pragma('user_version', { simple: true }) as number
}

const expectedSchemas = new WeakMap<Migration, Schema>()

/** Made once for each version. */
function expectedSchema(applied: readonly Migration[]): Schema {
  const last = applied.at(-1)
  if (last === undefined) return new Map()
  const schema = expectedSchemas.get(last) ?? withSchema(applied, (made) => made)
  expectedSchemas.set(last, schema)
  return schema
}

/** @param use gets the schema that these migrations make, in memory; only before it returns can the columns be read */
function withSchema<T>(applied: readonly Migration[], use: (schema: Schema) => T): T {
  const db = new Database(':memory:')
  try {
    for (const { sql } of applied) db.exec(sql)
    return use(readSchema(db))
  } finally {
    db.close()
  }
}

/** Litestream, which replicates a database while it is used, keeps these two tables in it. Defined in another way, they are not its own. */
const LITESTREAM: Readonly<Record<string, string>> = {
  _litestream_seq: 'CREATE TABLE _litestream_seq(id INTEGER PRIMARY KEY,seq INTEGER)',
  _litestream_lock: 'CREATE TABLE _litestream_lock(id INTEGER)',
}

/** Without the tables and indexes that SQLite creates by itself, and those of Litestream. */
function readSchema(db: Connection): Schema {
  const rows = db
    .prepare<[], { type: string; name: string; sql: string }>(
      `select type, name, sql from sqlite_schema where name not like 'sqlite\\_%' escape '\\' order by rowid`,
    )
    .all()
  const compared = rows.filter(({ name, sql }) => normalized(sql ?? '') !== LITESTREAM[name])
  return new Map(
    compared.map((row) => [
      row.name,
      { ...row, columns: () => (row.type === 'table' ? columnsOf(db, row.name) : new Map()) },
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

function isSame(expected: SchemaObject | undefined, found: SchemaObject | undefined): boolean {
  if (expected === undefined || found === undefined || found.type !== expected.type) return false
  return found.sql === expected.sql || normalized(found.sql) === normalized(expected.sql)
}

function differencesOf(expected: SchemaObject | undefined, found: SchemaObject | undefined): string[] {
  if (found === undefined) return expected === undefined ? [] : [`${expected.type} ${expected.name} is missing`]
  if (expected === undefined) return [`${found.type} ${found.name} does not belong to it`]
  const columns = columnDifferences(found.name, expected.columns(), found.columns())
  return columns.length > 0 ? columns : [`${found.type} ${found.name} is defined in another way`]
}

function columnDifferences(
  table: string,
  expected: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, string>,
): string[] {
  return [...new Set([...expected.keys(), ...found.keys()])].flatMap((name) => {
    const column = `column ${name} of table ${table}`
    if (!found.has(name)) return [`${column} is missing`]
    if (!expected.has(name)) return [`${column} does not belong to it`]
    return found.get(name) === expected.get(name) ? [] : [`${column} is defined in another way`]
  })
}
