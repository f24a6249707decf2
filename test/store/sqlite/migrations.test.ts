import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { verifyAuditChain } from '../../../src/store/sqlite/audit/verify-audit-chain.ts'
import { openForWriting } from '../../../src/store/sqlite/database/connection.ts'
import { NOTHING_KNOWN, readLastKnown, writeLastKnown } from '../../../src/store/sqlite/database/last-known.ts'
import { applyMigration, readMigrations } from '../../../src/store/sqlite/database/migration-files.ts'
import { migrate } from '../../../src/store/sqlite/database/migrations.ts'
import { verifyDatabase } from '../../../src/store/sqlite/maintenance/verify.ts'
import { NOON } from '../../support/builders.ts'
import { openTestStore, temporaryDatabase } from '../../support/store.ts'

const MIGRATIONS = join(import.meta.dirname, '../../../src/store/sqlite/database/migrations')

/** Databases with these migrations exist. A change of one of them would not reach those databases: write a new migration instead. */
const FROZEN = {
  '001-initial.sql': 'd7065ec98ac3060ca2b393182137ecd009bb6f7af5d774601b87054e4fee808b',
  '002-terms.sql': 'df21c0556cfb96d60cb7eca8ae5e8184b7c09fce3f2f2ff97ba7153df3d77b56',
  '003-service.sql': 'a464b4a5f01d10358c4381ee903e30d5fa4dec2f98edb8bce5604cf38b652089',
  '004-search.sql': '2d6799cc029cbd4160485ab0a45c35908ec4138e5276a54d1ea30031171d6220',
  '005-actions.sql': '5da7e8760ea13c085c1563eb2c818785dbcbc354208a8ff3c2769ad328ef07f6',
  '006-positions.sql': '10dc03ebf30d48f3a28cea33eb978acb2ed3346ecee076a4c417fefa2d150a4c',
  '007-first-attempts.sql': 'a6cf169ed53e8fe496ecd759f826bd1205237daf6fd17b11dfacf6537166357c',
  '008-subjects.sql': '8d6b35895c18d8fbe80392fcb1067aae53904f8e48632691cff4672cd6465fb2',
  '009-callbacks.sql': '7e238721b8d58fb202113198b6b89bade29b3281f4a631a8e7a597037027b112',
  '010-sealed-blocks.sql': 'e03368f6af90a168840fcef9e57f6c93505fd872bf1c7bd16965fd0ebfb2a19e',
  '011-delivery-indexes.sql': 'f389bb6d8aa77537da5273ddb243081dd12753cdf31835b5c930bc389118c669',
  '012-delivery-states.sql': 'b3fe9f92173b203fca5ba204b03492837e51b9e37e9e06530b0f398ce651e446',
}

/** A database as the first schema left it: one event with a pending delivery that was tried twice, a running replay and a consumer. */
function databaseOfFirstSchema(): string {
  const file = temporaryDatabase()
  const db = new Database(file)
  db.pragma('journal_mode = wal')
  db.exec(readFileSync(join(MIGRATIONS, '001-initial.sql'), 'utf8'))
  db.pragma('user_version = 1')
  db.exec(`
    insert into meta (key, value) values ('owner', '41');
    insert into callbacks (id, received_at, kind, environment, authentication, headers, body)
      values (1, ${NOON}, 'payment', 'production', 'none', '[]', x'7b7d');
    insert into events (id, nonce, callback_id, kind, environment, received_at, part, parts, payload_hash, hash)
      values (1, 'abcdefgh', 1, 'payment', 'production', ${NOON}, 1, 1, zeroblob(32), zeroblob(32));
    insert into destinations (id, name, origin, state, url, secrets, timeout_ms, concurrency, headers, created_at)
      values (1, 'books', 'operator', 'active', 'https://books.example/', '["secret"]', 1000, 1, '{}', ${NOON});
    insert into replays (id, destination_id, mode, filter, matched, owed, position, up_to, created_at)
      values (1, 1, 'all', '{}', 3, 2, 1, 9, ${NOON});
    insert into deliveries (id, event_id, destination_id, attempts, steps_used, next_attempt_at, created_at)
      values (1, 1, 1, 2, 2, ${NOON}, ${NOON});
    insert into attempts (delivery_id, attempt, started_at, duration_ms) values (1, 1, ${NOON}, 1), (1, 2, ${NOON}, 1);
    insert into consumers (owner, name, position, told, created_at) values (null, 'ledger', 1, ${NOON - 5}, ${NOON})`)
  db.close()
  return file
}

it('a database of the first schema is migrated, and its rows survive', async () => {
  const file = databaseOfFirstSchema()
  const store = await openTestStore({ file })
  const wanted = { destinationId: 1, limit: 1, now: NOON, leaseUntil: NOON + 1000, freshSince: 0, backlogLimit: 1 }

  expect(await store.getReplay(1)).toMatchObject({ state: 'running', matched: 3, requeued: 2, position: 1 })
  expect(await store.getConsumer({ owner: null, name: 'ledger' })).toMatchObject({ gapsReportedAt: NOON - 5 })
  expect((await store.claimDeliveries(wanted)).deliveries).toMatchObject([
    { deliveryId: 1, attempt: 3, retriesUsed: 2 },
  ])
  await store.close()

  const db = new Database(file)
  onTestFinished(() => void db.close())
  expect(db.prepare('select claimed_by from deliveries').pluck().all()).toEqual([42])
  expect(db.pragma('user_version', { simple: true })).toBe(readdirSync(MIGRATIONS).length)
  expect(verifyDatabase(file, () => undefined)).toMatchObject({ isCurrent: true })
})

it('before a migration the note forgets the old schema, so that a crash in between leaves no log that looks like another database’s', async () => {
  const file = databaseOfFirstSchema()
  const db = new Database(file)
  // The migration renames another key to this one.
  db.exec("insert into meta (key, value) values ('writer_epoch', '1')")
  db.close()
  writeLastKnown(file, { ...NOTHING_KNOWN, schemaCookie: 1, changes: 1 }, { isSynced: true })

  await expect(openTestStore({ file })).rejects.toThrow(/UNIQUE constraint failed: meta.key/)

  expect(readLastKnown(file)).toMatchObject({ schemaCookie: null, changes: 1 })
})

it.each(Object.entries(FROZEN))('migration %s is frozen', (name, sha256) => {
  expect(
    createHash('sha256')
      .update(readFileSync(join(MIGRATIONS, name)))
      .digest('hex'),
  ).toBe(sha256)
})

/** The statements that make this database: its schema, and the rows of its tables. */
function statementsOf(db: Database.Database): string {
  const schema = db
    .prepare<[], string>(
      "select sql from sqlite_schema where sql is not null and name not like 'sqlite_%' order by rowid",
    )
    .pluck()
    .all()
  const tables = db.prepare<[], string>("select name from sqlite_schema where type = 'table'").pluck().all()
  const rows = tables.flatMap((table) =>
    (db.prepare(`select * from ${table}`).all() as Row[]).map(
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

it('a new database gets what all migrations make, which is committed as schema.sql', async () => {
  const migrated = new Database(':memory:')
  for (const migration of readMigrations()) applyMigration(migrated, migration)
  await expect(statementsOf(migrated)).toMatchFileSnapshot('../../../src/store/sqlite/schema.sql')

  const db = openForWriting(temporaryDatabase())
  onTestFinished(() => void db.close())
  migrate(db)
  expect(statementsOf(db)).toBe(statementsOf(migrated))
  expect(db.pragma('user_version', { simple: true })).toBe(readMigrations().length)
})

type Row = Readonly<Record<string, unknown>>

function rowsOf(file: string): Record<string, Row[]> {
  const db = new Database(file, { readonly: true })
  const tables = db.prepare<[], string>("select name from sqlite_schema where type = 'table'").pluck().all()
  const rows = tables.map((table) => [table, db.prepare(`select * from ${table}`).all() as Row[]] as const)
  db.close()
  return Object.fromEntries(rows)
}

/** A database that Portaria wrote with schema 2, with rows in every table: retention, quarantine, a restored backup, a replay, a client. */
function databaseOfSchema2(): string {
  const file = temporaryDatabase()
  writeFileSync(file, gunzipSync(readFileSync(join(import.meta.dirname, 'fixtures/schema-002.db.gz'))), { mode: 0o600 })
  return file
}

it('a database of schema 2 with rows in every table is opened, and every row keeps its values', async () => {
  const file = databaseOfSchema2()
  const before = rowsOf(file)
  expect(Object.keys(before).filter((table) => before[table]?.length === 0)).toEqual([])

  await (await openTestStore({ file })).close()

  const after = rowsOf(file)
  // Each start of a writer has a number of its own.
  const epoch = before.meta?.find(({ key }) => key === 'writer_epoch')
  const expected = { ...before, meta: before.meta?.map((row) => (row === epoch ? { ...row, value: '3' } : row)) }
  // A later migration may add columns and tables. A renamed column needs its new name here.
  for (const [table, rows] of Object.entries(expected))
    expect({ [table]: after[table] }).toEqual({ [table]: rows?.map((row) => expect.objectContaining(row)) })
  expect(verifyDatabase(file, () => undefined)).toMatchObject({ problems: [], isCurrent: true })
  expect(verifyAuditChain(file, [], () => undefined).problems).toEqual([])
})
