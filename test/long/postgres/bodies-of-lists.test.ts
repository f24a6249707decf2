import { expect, it, onTestFinished, vi } from 'vitest'
import { parseSearch } from '../../../src/domain/search/search-query.ts'
import { openDatabase } from '../../../src/store/postgres/database/database.ts'
import type { Sql, Values } from '../../../src/store/postgres/database/sql.ts'
import { listEvents } from '../../../src/store/postgres/events/event-queries.ts'
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts'
import { searchEvents } from '../../../src/store/postgres/search/search-events.ts'
import { prepareStep } from '../../../src/store/postgres/search/search-index.ts'
import { verifyAuditChain } from '../../../src/store/postgres/verification/verify-chain.ts'
import { postgresOptions } from '../../store/contract/on-postgres.ts'
import { aDestination, anInterpretedCallback, NOON } from '../../support/builders.ts'
import { indexAll } from '../../support/search.ts'
import { describePostgres } from '../../support/with-postgres.ts'

const CALLBACKS = 2
const PARTS = 120
const EVENTS = CALLBACKS * PARTS

function withParts(batch: number): string {
  const parts = Array.from({ length: PARTS }, (_, n) => ({ txid: `t${batch}x${n}` }))
  return JSON.stringify({ account: 'common', pix: parts })
}

/** The same connection. @param read is called for each body of a callback that comes over it */
function countBodies(sql: Sql, read: () => void): Sql {
  function counted<Row>(row: Row): Row {
    const values: unknown[] = Object.values(row as object)
    for (const value of values) if (Buffer.isBuffer(value) && value.length >= withParts(0).length) read()
    return row
  }
  return {
    run: sql.run,
    all: async <Row>(text: string, values?: Values) => (await sql.all<Row>(text, values)).map(counted),
    async get<Row>(text: string, values?: Values) {
      const row = await sql.get<Row>(text, values)
      return row && counted(row)
    },
  }
}

const LISTS: Readonly<Record<string, (sql: Sql) => Promise<number>>> = {
  'the oldest events': async (sql) => (await listEvents(sql, {}, EVENTS)).events.length,
  'the newest events': async (sql) => (await listEvents(sql, { newestFirst: true }, EVENTS)).events.length,
  'events of a kind': async (sql) => (await listEvents(sql, { kinds: ['payment'] }, EVENTS)).events.length,
  'events with waiting deliveries': async (sql) =>
    (await listEvents(sql, { delivery: { states: ['pending'] } }, EVENTS)).events.length,
  async 'a search'(sql) {
    // However slow the machine is, the search does not end early.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
    try {
      return (await searchEvents(sql, { search: parseSearch('common') }, EVENTS)).events.length
    } finally {
      clock.mockRestore()
    }
  },
  'the search index': async (sql) => (await prepareStep(sql, 'rebuild', { limit: EVENTS }))?.events ?? 0,
  'the audit chain': async (sql) =>
    (await verifyAuditChain({ read: (perform) => perform(sql) }, [], () => undefined)).events,
}

describePostgres('on PostgreSQL', (server) => {
  it('a list reads the body of a callback once for all of its events', async () => {
    const url = await server.createDatabase()
    const store = await openPostgresStore({ ...postgresOptions(), url })
    await store.createDestination(aDestination(), NOON)
    for (let batch = 0; batch < CALLBACKS; batch++)
      await store.storeCallback(anInterpretedCallback(withParts(batch), ['/pix']))
    await indexAll(store)
    await store.rebuildSearch()
    await store.close()

    const database = await openDatabase({ url })
    onTestFinished(() => database.close())
    const counted: Record<string, { events: number; bodies: number }> = {}
    for (const [name, list] of Object.entries(LISTS)) {
      let bodies = 0
      const events = await database.read((sql) => list(countBodies(sql, () => bodies++)))
      counted[name] = { events, bodies }
    }
    const expected = Object.keys(LISTS).map((name) => [name, { events: EVENTS, bodies: CALLBACKS }])
    expect(counted).toEqual(Object.fromEntries(expected))
  })
})
