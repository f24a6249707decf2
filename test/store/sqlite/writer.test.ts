import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ClockRecord } from '../../../src/domain/clock.ts'
import type { Claim } from '../../../src/domain/delivery.ts'
import type { DestinationChanges } from '../../../src/domain/destination-changes.ts'
import type { NewCallback } from '../../../src/domain/event.ts'
import type { StoredCallback } from '../../../src/domain/event-record.ts'
import { openForWriting } from '../../../src/store/sqlite/database/connection.ts'
import { migrate } from '../../../src/store/sqlite/database/migrations.ts'
import { HashFilters } from '../../../src/store/sqlite/deduplication/hash-filters.ts'
import { sealedFaults } from '../../../src/store/sqlite/deduplication/verify-sealed.ts'
import { voidOldClaims } from '../../../src/store/sqlite/deliveries/claims.ts'
import { createWriter } from '../../../src/store/sqlite/threads/writer.ts'
import type { WriterOptions } from '../../../src/store/sqlite/threads/writer-parts.ts'
import type { WriteCall } from '../../../src/store/storing/store-calls.ts'
import { aCallback, aDestination, aHeldCallback, NOON } from '../../support/builders.ts'
import { temporaryDatabase } from '../../support/store.ts'

const DAY_MS = 86_400_000
const OPTIONS = { deduplicationWindowMs: DAY_MS, firstWaitMs: 0, now: () => NOON + 1000 }

/** A writer on a new database, with one delivery that is claimed. */
function withOneClaim(options: Partial<WriterOptions> = {}) {
  const db = openForWriting(temporaryDatabase())
  onTestFinished(() => void db.close())
  migrate(db)
  const writer = createWriter(db, { ...OPTIONS, ...options })
  const wanted = { destinationId: 1, limit: 1, now: NOON, leaseUntil: NOON + 45_000, freshSince: 0, backlogLimit: 1 }
  const { results } = writer.run([
    { method: 'createDestination', args: [aDestination(), NOON] },
    { method: 'storeCallback', args: [aCallback()] },
    { method: 'claimDeliveries', args: [wanted] },
  ])
  const claimed = results[2]
  const claim = claimed?.ok === true ? (claimed.value as Claim) : null
  expect(claim?.deliveries).toMatchObject([{ deliveryId: 1, attempt: 1 }])
  const answer = { startedAt: NOON, durationMs: 1, status: 200, error: null, answer: new Uint8Array() }
  const record: WriteCall = {
    method: 'recordAttempts',
    args: [[{ deliveryId: 1, attempt: 1, ...answer, result: { state: 'delivered' } }]],
  }
  const count = (table: string) => db.prepare<[], number>(`select count(*) from ${table}`).pluck().get()
  return { db, writer, record, count }
}

it('when the database is opened again after trouble of the disk, the attempts under way stay claimed and are recorded', () => {
  const { db, writer, record, count } = withOneClaim()
  const again = createWriter(db, { ...OPTIONS, writerEpoch: writer.epoch })
  expect(count('attempts')).toBe(0)
  expect(again.run([record]).results).toEqual([{ ok: true, value: 1 }])
})

it('a new process has another number: an old one’s outcome changes nothing', () => {
  const { db, writer, record, count } = withOneClaim()
  const next = createWriter(db, OPTIONS)
  expect(next.epoch).toBeGreaterThan(writer.epoch)
  expect(writer.run([record]).results).toEqual([{ ok: true, value: 0 }])
  expect(count('attempts')).toBe(1)
})

it('what was released is held back again once its event is forgotten, and not counted where no one looks any more', () => {
  const db = openForWriting(temporaryDatabase())
  onTestFinished(() => void db.close())
  migrate(db)
  let now = NOON + 1000
  const writer = createWriter(db, { ...OPTIONS, now: () => now })
  const held = aHeldCallback('{"n":1}')
  const facts = held.facts.map(({ quarantine: _held, ...fact }) => fact)
  const storing = (callback: NewCallback): WriteCall => ({ method: 'storeCallback', args: [callback] })
  const release: WriteCall = { method: 'releaseQuarantined', args: [1, { by: 'operator', at: now }] }
  // The same fact, received a little earlier and stored a little later.
  writer.run([storing(held), storing({ ...held, facts, receivedAt: NOON - 10 }), release])

  now = NOON - 5 + OPTIONS.deduplicationWindowMs
  const { results } = writer.run([storing(held)])

  expect(results).toMatchObject([{ ok: true, value: { quarantineIds: ['qtn_2'] } }])
})

it('old claims are void and their attempts on record in one commit, or neither', () => {
  const { db, count } = withOneClaim()
  db.exec(`create temp trigger full before update on deliveries begin select raise(abort, 'the disk is full'); end`)
  expect(() => voidOldClaims(db, NOON)).toThrow('the disk is full')
  expect([count('attempts'), count('deliveries where claimed_by is not null')]).toEqual([0, 1])
})

it('what more than 50,000 deliveries wait for is put in another order only at a start, and with 50,000 at once', () => {
  const { db, writer } = withOneClaim()
  const settings = aDestination({ name: 'configured' })
  const sync = (order: 'none' | 'subject', isStarting: boolean): WriteCall => {
    return { method: 'syncDestinations', args: [[{ ...settings, order }], NOON, isStarting] }
  }
  const update = (changes: DestinationChanges): WriteCall => {
    return { method: 'updateDestination', args: [1, changes, NOON] }
  }
  const isDone = (operation: WriteCall) => writer.run([operation]).results[0]?.ok
  const owe = db.prepare(`
    insert into deliveries (event_id, destination_id, state, created_at, next_attempt_at)
    with recursive n (n) as (select 1 union all select n + 1 from n where n < ?) select 1, ?, 'pending', 0, 0 from n`)
  expect(isDone(sync('none', true))).toBe(true)
  owe.run(49_999, 1)
  owe.run(50_001, 2)

  expect(isDone(update({ order: 'subject' }))).toBe(true)
  owe.run(1, 1)
  const { results } = writer.run([update({ order: 'none' })])
  expect(results).toMatchObject([{ ok: false, error: { code: 'conflict' } }])
  expect(results[0]?.ok === false && results[0].error.message).toMatch(/more than 50000 deliveries wait for books/)
  expect(isDone(update({ timeoutMs: 4000 }))).toBe(true)
  expect(isDone(sync('subject', false))).toBe(false)
  expect(isDone(sync('none', false))).toBe(true)
  expect(isDone(sync('subject', true))).toBe(true)
  const inLine = db.prepare('select count(*) from deliveries where destination_id = 2 and order_key is not null')
  expect(inLine.pluck().get()).toBe(50_001)
})

/** A writer whose clocks the test sets, and the same callbacks again and again: one fact is stored, the other one quarantined. */
function repeatingWriter() {
  const db = openForWriting(temporaryDatabase())
  onTestFinished(() => void db.close())
  migrate(db)
  const clocks = { wall: NOON, monotonic: 0 }
  const open = () => createWriter(db, { ...OPTIONS, now: () => clocks.wall, monotonic: () => clocks.monotonic })
  let writer = open()
  const storing = (callback: NewCallback): WriteCall => ({ method: 'storeCallback', args: [callback] })

  /** @returns whether each is recognised as a repetition */
  function repeat(receivedAt = clocks.wall): boolean[] {
    const { results } = writer.run([
      storing(aCallback({ receivedAt })),
      storing({ ...aHeldCallback('{"n":1}'), receivedAt }),
    ])
    return results.map((result) => result.ok && (result.value as StoredCallback).callbackId === null)
  }

  return {
    clocks,
    repeat,
    pass: (ms: number) => {
      clocks.wall += ms
      clocks.monotonic += ms
    },
    restart() {
      writer = open()
    },
    record: (clock: ClockRecord) => void writer.run([{ method: 'recordClock', args: [clock] }]),
  }
}

it('a failure behind the commit, as without memory for a sealed block, ends the writer: what is committed is not repeated', () => {
  const { db, writer, count } = withOneClaim({ geometry: { blockBits: 5, bucketBits: 2 } })
  const calls = Array.from({ length: 40 }, (_, n): WriteCall => {
    return { method: 'storeCallback', args: [aCallback({ text: `{"n":${n}}` })] }
  })
  const seal = vi.spyOn(HashFilters.prototype, 'open').mockImplementation(() => {
    throw new RangeError('Array buffer allocation failed')
  })
  onTestFinished(() => seal.mockRestore())
  expect(() => writer.run(calls)).toThrow('Array buffer allocation failed')
  expect(count('events')).toBe(41)
  expect(db.inTransaction).toBe(false)
  expect(count('events where duplicates > 0')).toBe(0)
})

it('hashes of callbacks that were rolled back are in no sealed block', () => {
  const geometry = { blockBits: 5, bucketBits: 2 }
  const { db, writer, count } = withOneClaim({ geometry })
  const storing = (changes: Parameters<typeof aCallback>[0]): WriteCall => {
    return { method: 'storeCallback', args: [aCallback(changes)] }
  }
  const numbered = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => storing({ text: `{"n":${from + n}}` }))
  // The last one fails: all are rolled back, and each is stored alone.
  writer.run([...numbered(0, 10), storing({ text: 'x', kind: null as never })])
  writer.run(numbered(10, 40))
  writer.run(numbered(40, 60))
  expect([count('events'), count('sealed_blocks')]).toEqual([61, 1])
  expect(sealedFaults(db, geometry, 1)).toEqual([])
  // Positions begin at 1: a block of 32 has 31 in the first.
  expect(db.prepare('select hashes from sealed_blocks').pluck().all()).toEqual([31])
})

const [NEW, AGAIN] = [
  [false, false],
  [true, true],
]

describe('repeated facts under an implausible clock', () => {
  it('are recognised while the clock is ahead, and forgotten when the time is confirmed', () => {
    const { clocks, repeat, restart, record, pass } = repeatingWriter()
    repeat()
    clocks.wall += 400 * DAY_MS
    record({ distrustedSince: NOON + 1 })
    expect(repeat()).toEqual(AGAIN)
    restart()
    expect(repeat()).toEqual(AGAIN)
    pass(60_000)
    record({ heartbeatAt: clocks.wall })
    expect(repeat()).toEqual(NEW)
  })

  it.each([10, 40, 400])(
    'are forgotten after a pause of %i days that no one confirms, when the window has passed',
    (days) => {
      const { clocks, repeat, restart, record, pass } = repeatingWriter()
      repeat()
      clocks.wall += days * DAY_MS
      restart()
      // Before the gateway has judged its clock.
      expect(repeat()).toEqual(AGAIN)
      for (let minute = 0; minute < 5; minute++) {
        record({ distrustedSince: NOON })
        pass(60_000)
      }
      expect(repeat()).toEqual(AGAIN)
      pass(DAY_MS - 5 * 60_000)
      expect(repeat()).toEqual(NEW)
      // What was received since the pause has the window of any other fact.
      pass(DAY_MS - 1)
      expect(repeat()).toEqual(AGAIN)
      pass(1)
      expect(repeat()).toEqual(NEW)
    },
  )

  it('are forgotten when the window has passed also while the clock is far behind', () => {
    const { clocks, repeat, restart, record, pass } = repeatingWriter()
    repeat()
    clocks.wall -= 400 * DAY_MS
    restart()
    expect(repeat(NOON)).toEqual(AGAIN)
    pass(DAY_MS / 2)
    record({ heartbeatAt: NOON + DAY_MS / 2 })
    expect(repeat(NOON + DAY_MS / 2)).toEqual(AGAIN)
    pass(DAY_MS / 2)
    expect(repeat(NOON + DAY_MS)).toEqual(NEW)
    expect(repeat(NOON + DAY_MS)).toEqual(AGAIN)
  })
})
