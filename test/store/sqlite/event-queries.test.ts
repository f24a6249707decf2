import Database from 'better-sqlite3'
import { expect, it, vi } from 'vitest'
import type { DeliveryState } from '../../../src/domain/delivery.ts'
import type { EventFilter } from '../../../src/domain/event-record.ts'
import { openForReading } from '../../../src/store/sqlite/database/connection.ts'
import { listEvents } from '../../../src/store/sqlite/events/event-queries.ts'
import { openTestStore, temporaryDatabase } from '../../support/store.ts'

/** So many events of one callback; the first and the last are of the sandbox. */
async function withEvents(count: number, more: (db: Database.Database) => void = () => undefined) {
  const file = temporaryDatabase()
  await (await openTestStore({ file })).close()
  const db = new Database(file)
  db.exec(`
    insert into callbacks (received_at, kind, environment, authentication, headers, body) values (0, 'payment', 'production', 'none', '[]', x'');
    with recursive n (i) as (select 1 union all select i + 1 from n where i < ${count})
    insert into events (nonce, callback_id, kind, environment, received_at, part, parts, payload_hash, hash)
    select '0123456789', 1, 'payment', iif(i in (1, ${count}), 'sandbox', 'production'), i, 1, 1, x'', x'' from n`)
  more(db)
  db.close()
  return openForReading(file)
}

it('a search without an index ends after a while, and goes on where it ended, in both directions', async () => {
  const count = 2 * 65_536 + 1
  const db = await withEvents(count)
  const pages = (filter: EventFilter, place: 'after' | 'before') => {
    const seen: unknown[] = []
    for (let page = listEvents(db, filter, 9), last = false; !last; ) {
      seen.push([page.events.map(({ position }) => position), page.next])
      last = !page.more
      if (!last) page = listEvents(db, { ...filter, [place]: page.next }, 9)
    }
    return seen
  }
  expect(pages({ environment: 'sandbox' }, 'after')).toEqual([
    [[1], 65_536],
    [[], 131_072],
    [[count], count],
  ])
  expect(pages({ environment: 'sandbox', newestFirst: true }, 'before')).toEqual([
    [[count], 65_538],
    [[], 2],
    [[1], 0],
  ])
  expect(pages({ status: 'none', after: 100 }, 'after')).toHaveLength(2)
  db.close()
})

it('few deliveries that failed are found at once, however old; many are looked for event by event', async () => {
  const count = 65_536 + 20_000
  const db = await withEvents(count, (events) =>
    events.exec(`
      insert into destinations (name, origin, state, url, secrets, timeout_ms, concurrency, headers, created_at)
      values ('books', 'operator', 'active', 'https://books.example/', '[]', 1, 1, '[]', 0);
      insert into deliveries (event_id, destination_id, state, created_at, is_first)
      select id, 1, iif(id in (7, 9), 'exhausted', iif(id <= 10100, 'canceled', 'delivered')), 0, 1 from events;
      update events set first_delivery = id, last_delivery = id`),
  )
  const page = (states: DeliveryState[], before: number) => {
    const { events, next, more } = listEvents(db, { delivery: { states }, newestFirst: true, before }, 2)
    return [events.map(({ position }) => position), next, more]
  }
  expect(page(['exhausted'], count + 1)).toEqual([[9, 7], 0, false])
  expect(page(['exhausted'], 9)).toEqual([[7], 0, false])
  expect(page(['canceled'], count + 1)).toEqual([[], 20_001, true])
  expect(page(['canceled'], 20_001)).toEqual([[10_100, 10_099], 10_099, true])
  expect(page(['exhausted', 'canceled'], count + 1)).toEqual([[], 20_001, true])
  db.close()
})

it.each<[string, EventFilter, string]>([
  ['newest first', { newestFirst: true }, 'SEARCH e USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)'],
  [
    'newest first by kind and status',
    { newestFirst: true, kinds: ['payment'], status: 'x' },
    'SEARCH e USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
  ],
  ['newest first by subject', { newestFirst: true, subject: '1' }, 'SEARCH e USING INTEGER PRIMARY KEY (rowid=?)'],
])('a page %s walks an index, and sorts only the events of one subject', async (_, filter, search) => {
  const db = await withEvents(2000)
  const prepared = vi.spyOn(db, 'prepare')
  listEvents(db, { ...filter, before: 1500 }, 10)
  const sql = prepared.mock.calls.map(([text]) => text).find((text) => text.includes('order by e.id desc')) ?? ''
  prepared.mockRestore()
  const names = ['from', 'to', 'limit', 'kinds', 'status', 'subject', 'candidates']
  const values = Object.fromEntries(names.map((name) => [name, name === 'kinds' || name === 'candidates' ? '[]' : 1]))
  const plan = db.prepare(`explain query plan ${sql}`).all(values) as { detail: string }[]
  const details = plan.map(({ detail }) => detail)
  expect(details).toContain(search)
  expect(details.filter((detail) => /SCAN e\b|SCAN events/.test(detail))).toEqual([])
  expect(details.includes('USE TEMP B-TREE FOR ORDER BY')).toBe(filter.subject !== undefined)
  db.close()
})
