import { expect, it } from 'vitest'
import { parseSearch } from '../../../src/domain/search/search-query.ts'
import { createAuditReader } from '../../../src/store/sqlite/audit/audit-entries.ts'
import { type Connection, openForReading } from '../../../src/store/sqlite/database/connection.ts'
import { listEvents } from '../../../src/store/sqlite/events/event-queries.ts'
import { buildRange } from '../../../src/store/sqlite/search/build-run.ts'
import { searchEvents } from '../../../src/store/sqlite/search/search-events.ts'
import { aDestination, anInterpretedCallback, NOON } from '../../support/builders.ts'
import { indexAll } from '../../support/search.ts'
import { openTestStore, temporaryDatabase } from '../../support/store.ts'

const CALLBACKS = 3
const PARTS = 150
const EVENTS = CALLBACKS * PARTS

function withParts(batch: number): string {
  const parts = Array.from({ length: PARTS }, (_, n) => ({ txid: `t${batch}x${n}` }))
  return JSON.stringify({ account: 'common', pix: parts })
}

/** The database, in which every read of the body of a callback counts. */
function countBodies(file: string): { readonly db: Connection; readonly readBodies: () => number } {
  const db = openForReading(file)
  let read = 0
  db.function('counted', (body: unknown) => {
    read++
    return body
  })
  const columns = db.prepare<[], string>(`select name from pragma_table_info('callbacks')`).pluck().all()
  const selected = columns.map((name) => (name === 'body' ? 'counted(body) as body' : name))
  db.exec(`create temp view callbacks as select ${selected.join(', ')} from main.callbacks`)
  return { db, readBodies: () => read }
}

const slowly = () => 0

const LISTS: Readonly<Record<string, (db: Connection) => number>> = {
  'the oldest events': (db) => listEvents(db, {}, EVENTS).events.length,
  'the newest events': (db) => listEvents(db, { newestFirst: true }, EVENTS).events.length,
  'events of a kind': (db) => listEvents(db, { kinds: ['payment'] }, EVENTS).events.length,
  'events with waiting deliveries': (db) => listEvents(db, { delivery: { states: ['pending'] } }, EVENTS).events.length,
  'a search': (db) => searchEvents(db, { search: parseSearch('common') }, EVENTS, slowly).events.length,
  'the search index': (db) => buildRange(db, {}, { after: 0, through: EVENTS })?.events ?? 0,
  'the audit chain': (db) => createAuditReader(db)({ after: 0, to: EVENTS }).entries.length,
}

it('a list reads the body of a callback once for all of its events', async () => {
  const file = temporaryDatabase()
  const store = await openTestStore({ file })
  await store.createDestination(aDestination(), NOON)
  for (let batch = 0; batch < CALLBACKS; batch++)
    await store.storeCallback(anInterpretedCallback(withParts(batch), ['/pix']))
  await indexAll(store)
  await store.close()

  const { db, readBodies } = countBodies(file)
  const counted = Object.entries(LISTS).map(([name, list]) => {
    const before = readBodies()
    return [name, { events: list(db), bodies: readBodies() - before }]
  })
  db.close()
  const expected = Object.keys(LISTS).map((name) => [name, { events: EVENTS, bodies: CALLBACKS }])
  expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(expected))
})
