import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { EventFilter, EventRecord } from '../../../src/domain/event-record.ts'
import { isInRealm, type Realm } from '../../../src/domain/realm.ts'
import type { Store } from '../../../src/domain/store.ts'
import { openForWriting } from '../../../src/store/sqlite/database/connection.ts'
import { migrate } from '../../../src/store/sqlite/database/migrations.ts'
import { createWriter } from '../../../src/store/sqlite/threads/writer.ts'
import type { WriteCall } from '../../../src/store/storing/store-calls.ts'
import { aCallback, aFact, NOON } from '../../support/builders.ts'
import { openTestStore, temporaryDatabase } from '../../support/store.ts'

const open = (file: string) => openTestStore({ file, deduplicationWindowMs: 0 })

const KINDS = ['payment', 'charge', 'registration', 'operator', 'probe']
/** Of some callbacks. */
const RARE_REALMS: Readonly<Record<number, Realm>> = { 6: 'sandbox', 13: 'bank-a/production', 16: 'bank-a/sandbox' }
const pick = <T>(values: readonly T[], n: number) => values[n % values.length] as T

/** Callbacks of 300 facts each, as many blocks and a part of one; the clock is set back once, and what is rare is in few blocks. */
async function receive(store: Store, callbacks: number, from = 0): Promise<void> {
  for (let c = from; c < from + callbacks; c++) {
    const facts = Array.from({ length: 300 }, (_, i) =>
      aFact({
        kind: i === 7 && c % 9 === 4 ? 'charge' : pick(['payment', 'payment', 'registration', 'operator'], i),
        status: i === 11 && c % 7 === 3 ? 'rare' : pick(['LIQUIDADO', 'CANCELADO', null, ''], i + c),
        hash: null,
      }),
    )
    const receivedAt = NOON + c * 1000 - (c > 10 ? 4500 : 0)
    const environment = RARE_REALMS[c] ?? 'production'
    await store.storeCallback(aCallback({ text: `${c}`, receivedAt, environment, facts }))
  }
}

async function pagesOf(store: Store, filter: EventFilter, limit: number): Promise<EventRecord[]> {
  const events: EventRecord[] = []
  let place = {}
  for (let more = true; more; ) {
    const page = await store.listEvents({ ...filter, ...place }, limit)
    events.push(...page.events)
    place = filter.newestFirst === true ? { before: page.next } : { after: page.next }
    more = page.more
  }
  return events
}

function fits(filter: EventFilter, event: EventRecord): boolean {
  const { kinds, status, receivedFrom = 0, receivedTo = Number.POSITIVE_INFINITY } = filter
  return (
    (kinds === undefined ? event.kind !== 'operator' : kinds.includes(event.kind)) &&
    isInRealm(filter, event.environment) &&
    (status === undefined || status === event.status) &&
    event.receivedAt >= receivedFrom &&
    event.receivedAt < receivedTo
  )
}

const aTime = fc.integer({ min: -1, max: 20 }).map((n) => NOON + n * 500)
const aFilter = fc.record(
  {
    kinds: fc.uniqueArray(fc.constantFrom('payment', 'charge', 'registration', 'operator', 'none'), { minLength: 1 }),
    institution: fc.constantFrom('bank-a', 'bank'),
    environment: fc.constantFrom('production' as const, 'sandbox' as const),
    status: fc.constantFrom('LIQUIDADO', 'rare', '', 'none'),
    receivedFrom: aTime,
    receivedTo: aTime,
    newestFirst: fc.boolean(),
  },
  { requiredKeys: [] },
)

describe('blocks of events that are summed up', () => {
  it('hide no event from any search, whatever clock and restarts did', async () => {
    const file = temporaryDatabase()
    const first = await open(file)
    await receive(first, 9)
    await first.close()
    const store = await open(file)
    await receive(store, 9, 9)
    const all = await pagesOf(store, { kinds: ['payment', 'charge', 'registration', 'operator'] }, 1000)
    expect(all).toHaveLength(18 * 300)
    await fc.assert(
      fc.asyncProperty(aFilter, fc.integer({ min: 50, max: 1000 }), async (filter, limit) => {
        const expected = all.filter((event) => fits(filter, event)).map(({ id }) => id)
        const found = (await pagesOf(store, filter, limit)).map(({ id }) => id)
        expect(found).toEqual(filter.newestFirst === true ? expected.reverse() : expected)
      }),
      { numRuns: 60 },
    )
  })

  it('give the traits of all events, of removed ones too', async () => {
    const file = temporaryDatabase()
    const store = await open(file)
    await receive(store, 12)
    await store.storeCallback(aCallback({ text: 'last', facts: [aFact({ kind: 'probe', status: 'open' })] }))
    await store.announceRemoval([{ kind: 'former', environment: 'sandbox', through: 3 }], NOON)
    const expected = new Map<string, unknown>()
    for (const { kind, environment, status } of await pagesOf(store, { kinds: KINDS }, 1000))
      expected.set(JSON.stringify([kind, environment, status || null]), { kind, environment, status: status || null })
    const traits = await store.listEventTraits(0, 1000)
    expect(new Set(traits)).toEqual(
      new Set([...expected.values(), { kind: 'former', environment: 'sandbox', status: null }]),
    )
    expect(traits).toHaveLength(expected.size + 1)
    expect(await store.listEventTraits(0, 3)).toHaveLength(3)
    // The sandbox has the events up to 2100, which end inside a block.
    expect(
      (await store.listEventTraits(2060, 1000)).some(
        ({ environment, kind }) => environment === 'sandbox' && kind === 'payment',
      ),
    ).toBe(true)
    const newest = { kind: 'probe', environment: 'production', status: 'open' }
    const former = { kind: 'former', environment: 'sandbox', status: null }
    expect(await store.listEventTraits(12 * 300, 1000)).toEqual([former, newest])
  })

  it('lead to the place of any time', async () => {
    const file = temporaryDatabase()
    const store = await open(file)
    await receive(store, 14)
    const db = new Database(file, { readonly: true })
    onTestFinished(() => void db.close())
    const first = db.prepare('select coalesce(min(id) - 1, 14 * 300) from events where received_at >= ?').pluck()
    for (let time = NOON - 500; time < NOON + 15_000; time += 500)
      expect(await store.positionAt(time)).toBe(first.get(time))
  })

  it('let a search look at what it asks for alone', async () => {
    const file = temporaryDatabase()
    const store = await open(file)
    await receive(store, 12)
    await store.close()
    const db = new Database(file)
    onTestFinished(() => void db.close())
    const sums = db.prepare(
      'select block, first, last, earliest, latest from block_contents where status = ? order by block',
    )
    expect(sums.all('rare')).toEqual([
      { block: 0, first: 912, last: 912, earliest: NOON + 3000, latest: NOON + 3000 },
      { block: 2, first: 3012, last: 3012, earliest: NOON + 10_000, latest: NOON + 10_000 },
    ])
    // The block that is still filled is looked at as it is.
    expect(db.prepare('select max(block) from event_blocks').pluck().get()).toBe(2)
  })

  it.each([
    // As a restored backup does.
    ['positions were skipped', `update sqlite_sequence set seq = seq + 1000000 where name = 'events'`, 1500],
    // As retention does where a kind is kept for a shorter time.
    ['the newest events are gone', 'pragma foreign_keys = off; delete from events where id > 900', 900],
  ])('go on where %s', async (_what, sql, left) => {
    const file = temporaryDatabase()
    const first = await open(file)
    await receive(first, 5)
    await first.close()
    const db = new Database(file)
    db.exec(sql)
    db.close()
    const store = await open(file)
    await receive(store, 9, 5)
    const kinds = ['payment', 'charge', 'registration', 'operator']
    const searches = [{}, { newestFirst: true }, { subject: '42' }]
    for (const search of searches) expect(await pagesOf(store, { kinds, ...search }, 1000)).toHaveLength(left + 9 * 300)
  })

  // The second one ends with the last event of a block.
  it.each([1000, 1023])('are what they were where a batch behind %i events is rolled back', async (before) => {
    const db = openForWriting(temporaryDatabase())
    onTestFinished(() => void db.close())
    migrate(db)
    const writer = createWriter(db, { deduplicationWindowMs: 0, firstWaitMs: 0, now: () => NOON })
    const store = (text: string, count: number, changes = {}): WriteCall => ({
      method: 'storeCallback',
      args: [aCallback({ text, facts: Array.from({ length: count }, () => aFact()), ...changes })],
    })
    writer.run([store('a', before)])
    db.exec(
      `create temp trigger refuse before insert on callbacks when new.target = 'refused' begin select raise(fail, 'no'); end`,
    )
    const { results } = writer.run([store('b', 100), store('c', 1, { target: 'refused' }), store('d', 2000)])
    expect(results.map(({ ok }) => ok)).toEqual([true, false, true])
    expect(
      db.prepare('select block, min(first) as first, max(last) as last from block_contents group by block').all(),
    ).toEqual([
      { block: 0, first: 1, last: 1023 },
      { block: 1, first: 1024, last: 2047 },
      { block: 2, first: 2048, last: 3071 },
    ])
  })
})
