import { expect, it, onTestFinished } from 'vitest'
import { listLags } from '../../../src/store/sql/consumers.ts'
import { createAuditChain } from '../../../src/store/sqlite/audit/audit-chain.ts'
import { ask } from '../../../src/store/sqlite/database/ask.ts'
import { type Connection, openForWriting } from '../../../src/store/sqlite/database/connection.ts'
import { lastGiven } from '../../../src/store/sqlite/database/last-position.ts'
import { migrate } from '../../../src/store/sqlite/database/migrations.ts'
import { skipPositions } from '../../../src/store/sqlite/maintenance/skipped-positions.ts'
import { createWriter, type Writer } from '../../../src/store/sqlite/threads/writer.ts'
import { verifyAuditChain } from '../../../src/store/sqlite/verification/verify-audit-chain.ts'
import type { WriteCall } from '../../../src/store/storing/store-calls.ts'
import type { VerifyStep } from '../../../src/store/verification/verification.ts'
import { aCallback, aFact, NOON } from '../../support/builders.ts'
import { temporaryDatabase } from '../../support/store.ts'

const OPTIONS = { deduplicationWindowMs: 0, firstWaitMs: 0, now: () => NOON }

function opened(): { db: Connection; writer: Writer } {
  const db = openForWriting(temporaryDatabase())
  onTestFinished(() => void db.close())
  migrate(db)
  return { db, writer: createWriter(db, OPTIONS) }
}

/** One callback with so many events. */
function events(count: number): WriteCall {
  const facts = Array.from({ length: count }, () => aFact())
  return { method: 'storeCallback', args: [aCallback({ text: `${count}`, facts })] }
}

function markOf(db: Connection): unknown {
  return db.prepare("select seq from sqlite_sequence where name = 'events'").pluck().get()
}

function removeNewest(db: Connection, from: number): void {
  const positions = db.prepare<[number], number>('select id from events where id >= ?').pluck().all(from)
  db.transaction(() => {
    createAuditChain(db).keepLinks(positions)
    db.prepare('delete from events where id >= ?').run(from)
  })()
}

it('storing leaves the mark alone: blocks, heartbeats of the clock and removals write it', () => {
  const { db, writer } = opened()
  writer.run([events(3)])
  expect([markOf(db), lastGiven(db)]).toEqual([0, 3])

  writer.run([{ method: 'recordClock', args: [{ heartbeatAt: NOON }] }])
  expect(markOf(db)).toBe(3)
  writer.run([events(2)])
  expect([markOf(db), lastGiven(db)]).toEqual([3, 5])
  removeNewest(db, 1)
  expect([markOf(db), lastGiven(db)]).toEqual([5, 5])

  writer.run([events(1500)])
  expect([markOf(db), lastGiven(db)]).toEqual([1024, 1505])
})

it('a position of a removed event is never given again, by this writer or the next', () => {
  const { db, writer } = opened()
  writer.run([events(5)])
  removeNewest(db, 4)
  expect(lastGiven(db)).toBe(5)
  createWriter(db, OPTIONS).run([events(1)])
  removeNewest(db, 1)
  createWriter(db, OPTIONS).run([events(1)])
  expect(db.prepare('select id from events').pluck().all()).toEqual([7])
  expect(verifyAuditChain(db.name, [], () => undefined).problems).toEqual([])
})

it('a position of a commit that was undone is given again, because no reader saw it', () => {
  const { db, writer } = opened()
  writer.run([events(2)])
  db.exec(`create temp trigger refuse before insert on events when new.id = 5 begin select raise(fail, 'no'); end`)
  // Each of them is stored as one unparsed fact instead.
  expect(writer.run([events(3), events(2)]).results.map(({ ok }) => ok)).toEqual([true, true])
  expect(db.prepare('select id, part, parts from events').raw().all()).toEqual([
    [1, 1, 1],
    [2, 1, 1],
    [3, 1, 1],
    [4, 1, 1],
  ])
})

it('a restored database continues far after its last event, although its mark is behind', () => {
  const { db, writer } = opened()
  writer.run([events(4)])
  db.transaction(() => skipPositions(db, NOON))()
  createWriter(db, OPTIONS).run([events(1)])
  expect(lastGiven(db)).toBe(1_000_000_005)
  expect(verifyAuditChain(db.name, [], () => undefined).problems).toEqual([])
})

it('positions that a restored database skips are none that a reader lacks', () => {
  const { db, writer } = opened()
  writer.run([events(4)])
  for (let times = 0; times < 2; times++) db.transaction(() => skipPositions(db, NOON))()
  expect(ask(db, listLags, [2, 4, 5])).toEqual([
    { events: 2, oldestAt: NOON },
    { events: 0, oldestAt: null },
    { events: 0, oldestAt: null },
  ])
  createWriter(db, OPTIONS).run([events(3)])
  const lags = ask(db, listLags, [2, 4, 1_000_000_000, 2_000_000_005, lastGiven(db)])
  expect(lags.map((lag) => lag.events)).toEqual([5, 3, 3, 2, 0])
})

it('the progress of a verification does not count the positions that a restored database skips', () => {
  const { db, writer } = opened()
  writer.run([events(4)])
  db.transaction(() => skipPositions(db, NOON))()
  createWriter(db, OPTIONS).run([events(3)])
  const steps: VerifyStep[] = []
  expect(verifyAuditChain(db.name, [], (step) => steps.push(step)).problems).toEqual([])
  expect(steps).toEqual([
    { done: 0, of: 7, words: 'event 0 of 7' },
    { done: 4, of: 7, words: 'event 4 of 7' },
  ])
})
