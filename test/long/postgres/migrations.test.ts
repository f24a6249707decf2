import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { becomeWriter } from '../../../src/store/postgres/database/application-name.ts'
import { MIGRATIONS, type Migration, migrate } from '../../../src/store/postgres/database/schema.ts'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { postgresOptions } from '../../store/contract/on-postgres.ts'
import { aCallback } from '../../support/builders.ts'
import { clientOptions } from '../../support/postgres.ts'
import { describePostgres } from '../../support/with-postgres.ts'

const CURRENT = MIGRATIONS.length
const COMPATIBLE: Migration = { sql: 'create table added (id int)', oldest: CURRENT }
const INCOMPATIBLE: Migration = { sql: 'create table added (id int)', oldest: CURRENT + 1 }
/** A schema of three steps: the second fills a table from the first, and the third removes that. */
const TOYS: readonly Migration[] = [
  {
    sql: `create table meta (key text primary key, value text not null); create table head (changes bigint); insert into head values (0);
      create table budgets (day text primary key, used integer not null)`,
    oldest: 1,
  },
  {
    sql: `create table uses (purpose text not null, day text not null, used integer not null);
      insert into uses select 'notifications', day, used from budgets`,
    oldest: 1,
  },
  { sql: 'drop table budgets; alter table uses add column note text', oldest: 3 },
]

describePostgres('the schema on PostgreSQL', (server) => {
  async function open(url: string, node: string) {
    const store = await openPostgresStore({ ...postgresOptions(), url, node })
    let closing: Promise<void> | undefined
    const close = () => (closing ??= store.close())
    onTestFinished(close)
    return { ...store, close }
  }

  async function migrateTo(url: string, steps: readonly Migration[]): Promise<void> {
    const client = new pg.Client(clientOptions(url))
    await client.connect()
    try {
      await migrate(client, steps)
    } finally {
      await client.end()
    }
  }

  it('is migrated once by nodes that start at once', async () => {
    const url = await server.createDatabase()
    await (await open(url, 'a')).close()
    const steps = [...MIGRATIONS, INCOMPATIBLE]
    await Promise.all([migrateTo(url, steps), migrateTo(url, steps), migrateTo(url, steps)])
    await expect(open(url, 'a')).rejects.toMatchObject({
      code: 'store_newer',
      message: `the database has schema ${CURRENT + 1}, but this Portaria knows only up to ${CURRENT}: run the newer Portaria that wrote it, or restore a backup from before the upgrade`,
    })
  })

  it('gets a step that nodes of the version before bear while they run', async () => {
    const url = await server.createDatabase()
    const node = await open(url, 'a')
    await migrateTo(url, [...MIGRATIONS, COMPATIBLE])
    await node.storeCallback(aCallback({ text: '1' }))
    const another = await open(url, 'b')
    expect(await another.latestPosition()).toBe(1)
  })

  it('gets no other step while they run, and is not changed by the attempt', async () => {
    const url = await server.createDatabase()
    const nodes = [await open(url, 'node a'), await open(url, 'b')]
    const steps = [...MIGRATIONS, COMPATIBLE, { sql: 'drop table added', oldest: CURRENT + 2 }]
    await expect(migrateTo(url, steps)).rejects.toThrow(
      `the nodes that run now (b, node a) cannot work with schema ${CURRENT + 2}: stop them, then start this one`,
    )
    await nodes[0]?.storeCallback(aCallback({ text: '1' }))
    await Promise.all(nodes.map((node) => node.close()))
    await migrateTo(url, steps)
  })

  it('gets no other step behind a node that has just looked at it', async () => {
    const url = await server.createDatabase()
    await (await open(url, 'a')).close()
    const client = new pg.Client(clientOptions(url))
    await client.connect()
    onTestFinished(() => client.end())
    let refused: Promise<unknown> | undefined
    await migrate(client, MIGRATIONS, async () => {
      refused = migrateTo(url, [...MIGRATIONS, INCOMPATIBLE]).catch((error) => error)
      await becomeWriter(client, 'late')
    })
    expect(await refused).toMatchObject({ message: expect.stringContaining('the nodes that run now (late)') })
  })

  it.each([0, 1, 2, 3])('gets the steps that it lacks, in order, and keeps its rows: from %i', async (from) => {
    const url = await server.createDatabase()
    if (from > 0) await migrateTo(url, TOYS.slice(0, from))
    const name = /\/(test_\d+)\?/.exec(url)?.[1]
    if (from > 0 && from < 3) await server.query("insert into budgets values ('2026-03-04', 7)", name)

    await migrateTo(url, TOYS)
    await migrateTo(url, TOYS)

    const rows = await server.query('select purpose, day, used, note from uses', name)
    expect(rows).toEqual(from === 1 ? [{ purpose: 'notifications', day: '2026-03-04', used: 7, note: null }] : [])
  })

  it('of a development version is refused, with its number and what to do, and is not changed', async () => {
    const url = await server.createDatabase()
    const name = /\/(test_\d+)\?/.exec(url)?.[1]
    await server.query(
      "create table meta (key text primary key, value text); insert into meta values ('schema_version', '6'), ('oldest_program', '2'), ('schema_digest', 'aa')",
      name,
    )
    const refusal = {
      code: 'store_unavailable',
      message:
        'the database has schema 6 of a development version of Portaria, from before its first release, and was not changed: run that version to read it, or create an empty database',
    }
    await expect(open(url, 'a')).rejects.toMatchObject(refusal)
    await expect(migrateTo(url, MIGRATIONS)).rejects.toMatchObject(refusal)
    expect(await server.query('select key from meta', name)).toHaveLength(3)
  })

  it('stays as it was when a step fails', async () => {
    const url = await server.createDatabase()
    const node = await open(url, 'a')
    await expect(migrateTo(url, [...MIGRATIONS, COMPATIBLE, { sql: 'nonsense', oldest: CURRENT }])).rejects.toThrow(
      'syntax',
    )
    await migrateTo(url, [...MIGRATIONS, COMPATIBLE])
    await node.storeCallback(aCallback({ text: '1' }))
  })

  it('is refused where another build has made it, also with a step that this one does not know', async () => {
    const other = { sql: `${MIGRATIONS[0]?.sql}; create table another (id int)`, oldest: 1 }
    for (const steps of [[other], [other, COMPATIBLE]]) {
      const url = await server.createDatabase()
      await migrateTo(url, steps)
      await expect(open(url, 'a')).rejects.toThrow('another build of Portaria made the schema of the database')
    }
  })
})
