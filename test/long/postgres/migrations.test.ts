import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { becomeWriter } from '../../../src/store/postgres/database/application-name.ts'
import { MIGRATIONS, type Migration, migrate } from '../../../src/store/postgres/database/schema.ts'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { optionsFor } from '../../store/contract/on-sqlite.ts'
import { aCallback } from '../../support/builders.ts'
import { clientOptions, type PostgresServer, postgresPrograms, startPostgres } from '../../support/postgres.ts'

const CURRENT = MIGRATIONS.length
const COMPATIBLE: Migration = { sql: 'create table added (id int)', oldest: CURRENT }
const INCOMPATIBLE: Migration = { sql: 'create table added (id int)', oldest: CURRENT + 1 }

describe.skipIf(postgresPrograms() === null)('the schema on PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  async function open(url: string, node: string) {
    const { file: _file, ...options } = optionsFor()
    const store = await openPostgresStore({ ...options, url, node })
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

  it('keeps the budgets of the first one', async () => {
    const url = await server.createDatabase()
    await migrateTo(url, MIGRATIONS.slice(0, 1))
    await server.query(
      "insert into service_budgets values ('sandbox', '2026-03-04', 7)",
      /\/(test_\d+)\?/.exec(url)?.[1],
    )
    await migrateTo(url, MIGRATIONS)
    const store = await open(url, 'a')
    expect(await store.budgetUsed('sandbox', 'notifications', '2026-03-04')).toBe(7)
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

  it('is refused where another build has made it', async () => {
    const url = await server.createDatabase()
    await migrateTo(url, [{ sql: `${MIGRATIONS[0]?.sql}; create table added (id int)`, oldest: 1 }])
    await expect(open(url, 'a')).rejects.toThrow('another build of Portaria made the schema of the database')
  })
})
