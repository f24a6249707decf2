import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openSqliteSource, openSqliteTarget } from '../../../src/store/moving/sqlite-side.ts'
import { openStoreReader } from '../../../src/store/open-store.ts'
import { type Connection, openForWriting } from '../../../src/store/sqlite/database/connection.ts'
import {
  forgetSchema,
  NOTHING_KNOWN,
  readLastKnown,
  writeLastKnown,
} from '../../../src/store/sqlite/database/last-known.ts'
import { type Migration, readMigrations } from '../../../src/store/sqlite/database/migration-files.ts'
import { migrate } from '../../../src/store/sqlite/database/migrations.ts'
import { writeBackup } from '../../../src/store/sqlite/maintenance/backup.ts'
import { verifyDatabase } from '../../../src/store/sqlite/maintenance/verify.ts'
import { verifyAuditChain } from '../../../src/store/sqlite/verification/verify-audit-chain.ts'
import { openTestStore, temporaryDatabase } from '../../support/store.ts'

const MIGRATIONS = join(import.meta.dirname, '../../../src/store/sqlite/database/migrations')

it('one migration makes the schema, because nothing is released', () => {
  expect(readdirSync(MIGRATIONS)).toEqual(['001-initial.sql'])
  expect(readMigrations().map(({ version }) => version)).toEqual([1])
})

/** The statements that make this database: its schema, and the rows of its tables. */
function statementsOf(db: Connection): string {
  const schema = db
    .prepare<[], string>(
      "select sql from sqlite_schema where sql is not null and name not like 'sqlite_%' order by rowid",
    )
    .pluck()
    .all()
  const rows = Object.entries(rowsOf(db)).flatMap(([table, all]) =>
    all.map(
      (row) =>
        `insert into ${table} (${Object.keys(row).join(', ')}) values (${Object.values(row).map(literal).join(', ')})`,
    ),
  )
  return [...schema, ...rows]
    .map((statement) => `${statement};`)
    .join('\n\n')
    .concat('\n')
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
}

type Row = Readonly<Record<string, unknown>>

function rowsOf(db: Connection): Record<string, Row[]> {
  const tables = db.prepare<[], string>("select name from sqlite_schema where type = 'table'").pluck().all()
  return Object.fromEntries(tables.map((table) => [table, db.prepare(`select * from ${table}`).all() as Row[]]))
}

it('a new database gets what all migrations make, which is committed as schema.sql', async () => {
  const db = opened(temporaryDatabase())
  migrate(db)
  await expect(statementsOf(db)).toMatchFileSnapshot('../../../src/store/sqlite/schema.sql')
  expect(versionOf(db)).toBe(readMigrations().length)
})

function opened(file: string): Connection {
  const db = openForWriting(file)
  onTestFinished(() => void db.close())
  return db
}

const versionOf = (db: Connection) => db.pragma('user_version', { simple: true })

/** A database that this program wrote, with rows in every table. */
function databaseOfSchema(version: number): string {
  const file = temporaryDatabase()
  const fixture = join(import.meta.dirname, `fixtures/schema-${String(version).padStart(3, '0')}.db.gz`)
  writeFileSync(file, gunzipSync(readFileSync(fixture)), { mode: 0o600 })
  return file
}

const NEWEST = readMigrations().length

const withNext = (sql: string): Migration[] => [...readMigrations(), { version: readMigrations().length + 1, sql }]

const TOY = withNext(`
  alter table consumers rename column position to reached;
  alter table consumers add column toy text;
  create table toys (id integer primary key, name text not null) strict;
  insert into toys (name) select name from consumers`)

it('a database of the newest schema has rows in every table; the next migration leaves every row as it says', () => {
  const db = opened(databaseOfSchema(NEWEST))
  migrate(db)
  const before = rowsOf(db)
  expect(Object.keys(before).filter((table) => before[table]?.length === 0)).toEqual([])

  migrate(db, undefined, TOY)

  const consumers = before.consumers?.map(({ position, ...row }) => ({ ...row, reached: position, toy: null }))
  const toys = before.consumers?.map(({ name }, at) => ({ id: at + 1, name }))
  expect(rowsOf(db)).toEqual({ ...before, consumers, toys })
  expect(versionOf(db)).toBe(TOY.length)
  migrate(db, () => expect.unreachable('no migration is missing'), TOY)
})

/** A schema of three steps: the second fills a table from the first, and the third removes that. */
const TOYS: readonly Migration[] = [
  { version: 1, sql: 'create table budgets (day text primary key, used integer not null) strict' },
  {
    version: 2,
    sql: `create table uses (purpose text not null, day text not null, used integer not null) strict;
      insert into uses select 'notifications', day, used from budgets`,
  },
  { version: 3, sql: 'drop table budgets; alter table uses add column note text' },
]

it.each([0, 1, 2, 3])(
  'a database of schema %i gets the migrations that it lacks, in order, and keeps its rows',
  (from) => {
    const db = opened(temporaryDatabase())
    migrate(db, undefined, TOYS.slice(0, from))
    if (from > 0 && from < 3) db.exec("insert into budgets values ('2026-03-04', 7)")
    const before = vi.fn()

    migrate(db, before, TOYS)

    expect(before).toHaveBeenCalledTimes(from < 3 ? 1 : 0)
    expect(versionOf(db)).toBe(3)
    const row = { purpose: 'notifications', day: '2026-03-04', used: 7, note: null }
    expect(rowsOf(db)).toEqual({ uses: from === 1 ? [row] : [] })
  },
)

it('each migration is a transaction: those before one that fails stay', () => {
  const db = opened(temporaryDatabase())
  const failing = { version: 3, sql: 'drop table budgets; insert into nowhere values (1)' }
  expect(() => migrate(db, undefined, [...TOYS.slice(0, 2), failing])).toThrow(/no such table: nowhere/)
  expect(versionOf(db)).toBe(2)
  expect(rowsOf(db)).toEqual({ budgets: [], uses: [] })
  migrate(db, undefined, TOYS)
  expect(rowsOf(db)).toEqual({ uses: [] })
})

it('a database of this schema is opened, and every row keeps its values', async () => {
  const file = databaseOfSchema(NEWEST)
  const reading = new Database(file)
  const before = rowsOf(reading)
  reading.close()

  await (await openTestStore({ file })).close()

  const after = rowsOf(opened(file))
  // Each start of a writer has a number of its own, and may add rows of its own.
  for (const [table, rows] of Object.entries(before))
    expect({ [table]: after[table] }).toEqual({
      [table]: rows.map((row) => (row.key === 'writer_epoch' ? { ...row, value: String(Number(row.value) + 1) } : row)),
    })
  expect(verifyDatabase(file, () => undefined)).toMatchObject({ problems: [], isCurrent: true })
  expect(verifyAuditChain(file, [], () => undefined).problems).toEqual([])
})

/** "Prtr": the application id of development versions. */
const DEVELOPMENT_ID = 0x50727472

it('a database of a development version is refused everywhere, with its schema and what to do, and is not changed', async () => {
  const file = databaseOfSchema(NEWEST)
  const db = new Database(file)
  db.pragma(`application_id = ${DEVELOPMENT_ID}`)
  db.pragma('user_version = 5')
  db.close()
  const before = readFileSync(file)
  const refusal = {
    code: 'store_unavailable',
    message: `${file} has schema 5 of a development version of Portaria, from before its first release, and was not changed: run that version to read it, or name another file in storage.url`,
  }
  await expect(openTestStore({ file })).rejects.toMatchObject(refusal)
  await expect(openStoreReader(file)).rejects.toMatchObject(refusal)
  const others = [
    () => openForWriting(file),
    () => verifyDatabase(file, () => undefined),
    () => verifyAuditChain(file, [], () => undefined),
    () => writeBackup({ file, target: temporaryDatabase(), leaveBytes: 0 }, () => undefined),
    () => openSqliteSource(file),
    () => openSqliteTarget(file),
  ]
  for (const open of others) expect(open).toThrow(expect.objectContaining(refusal))
  expect(readFileSync(file)).toEqual(before)
})

it('a migration that fails changes nothing, and the note has forgotten the old schema: a crash may leave a log of either', () => {
  const file = databaseOfSchema(NEWEST)
  const db = opened(file)
  const before = rowsOf(db)
  const known = { ...NOTHING_KNOWN, schemaCookie: 1, changes: 1 }
  writeLastKnown(file, known, { isSynced: true })
  const failing = withNext('create table toys (id integer primary key) strict; insert into nowhere values (1)')

  expect(() => migrate(db, () => forgetSchema(file, known), failing)).toThrow(/no such table: nowhere/)

  expect(rowsOf(db)).toEqual(before)
  expect(versionOf(db)).toBe(readMigrations().length)
  expect(readLastKnown(file)).toMatchObject({ schemaCookie: null, changes: 1 })
})

it('a database that a newer program wrote is refused, with both versions and what to do', () => {
  const db = opened(databaseOfSchema(NEWEST))
  migrate(db, undefined, TOY)
  const before = vi.fn()
  expect(() => migrate(db, before)).toThrow(
    new RegExp(
      `has schema ${TOY.length}, but this Portaria knows only up to ${readMigrations().length}: run the newer`,
    ),
  )
  expect(before).not.toHaveBeenCalled()
})
