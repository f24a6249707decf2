import { expect, it, onTestFinished } from 'vitest'
import type { NewCallback } from '../../../src/domain/event.ts'
import type { AgePlace, RemovedPart } from '../../../src/domain/retention.ts'
import { type Connection, openForWriting } from '../../../src/store/sqlite/database/connection.ts'
import { migrate } from '../../../src/store/sqlite/database/migrations.ts'
import { verifyDatabase } from '../../../src/store/sqlite/maintenance/verify.ts'
import { findRemovable, listStoredKinds } from '../../../src/store/sqlite/retention/removal-queries.ts'
import { createWriter, type Writer } from '../../../src/store/sqlite/threads/writer.ts'
import type { WriteCall } from '../../../src/store/storing/store-calls.ts'
import { aCallback, aFact, aHeldCallback, NOON } from '../../support/builders.ts'
import { temporaryDatabase } from '../../support/store.ts'

const OPTIONS = { deduplicationWindowMs: 0, firstWaitMs: 0, now: () => NOON }

function opened(): { db: Connection; writer: Writer } {
  const db = openForWriting(temporaryDatabase())
  onTestFinished(() => void db.close())
  db.pragma('synchronous = OFF')
  migrate(db)
  return { db, writer: createWriter(db, OPTIONS) }
}

function storing(callback: NewCallback): WriteCall {
  return { method: 'storeCallback', args: [callback] }
}

/** The nth of many: of three kinds, some split, some in quarantine, some of the future. */
function nth(n: number): WriteCall {
  const receivedAt = NOON + n + (n % 101 === 0 ? 1_000_000 : 0)
  const kind = n % 500 === 7 ? 'probe' : n % 3 === 0 ? 'registration' : 'payment'
  if (n % 97 === 5) return storing(aHeldCallback(`{"n":${n}}`, [], { receivedAt }))
  const facts = Array.from({ length: n % 31 === 0 ? 3 : 1 }, () => aFact({ kind, subject: `${n}` }))
  return storing(aCallback({ text: `${n}`, kind, receivedAt, facts }))
}

function fill(writer: Writer, count: number, from = 1): void {
  const { results } = writer.run(Array.from({ length: count }, (_, at) => nth(from + at)))
  expect(results.filter(({ ok }) => !ok)).toEqual([])
}

/** As the job does: all pages of a search. */
function found(db: Connection, part: RemovedPart, kind: string, before: number): number[] {
  const ids: number[] = []
  for (let after: AgePlace | null | undefined; after !== null; ) {
    const { callbacks, next } = findRemovable(db, { part, kind, before, after: after ?? null }, 70)
    ids.push(...callbacks.map(({ callbackId }) => callbackId))
    after = next
  }
  return ids
}

/** What such a search must find, without the blocks. */
function aged(db: Connection, part: RemovedPart, kind: string, before: number): number[] {
  return db
    .prepare<object, number>(`
      select id from callbacks where kind = :kind and received_at < :before and (payload_removed_at is not null) = :isRemoved order by id`)
    .pluck()
    .all({ kind, before, isRemoved: part === 'metadata' ? 1 : 0 })
}

const KINDS = ['charge', 'payment', 'probe', 'registration']

function expectSame(db: Connection): void {
  // As texts: comparing thousands of numbers one by one takes longer than finding them.
  for (const part of ['payload', 'metadata'] as const)
    for (const kind of KINDS)
      for (const before of [NOON, NOON + 900, NOON + 1024, NOON + 2500, NOON + 9_000_000])
        expect(found(db, part, kind, before).join(), `${part} ${kind} ${before - NOON}`).toBe(
          aged(db, part, kind, before).join(),
        )
  expect(verifyDatabase(db.name, () => undefined).problems).toEqual([])
}

function remove(writer: Writer, part: RemovedPart, callbackIds: readonly number[]): void {
  const before = NOON + 9_000_000
  const [result] = writer.run([{ method: 'removeAged', args: [{ part, before, callbackIds }, NOON] }]).results
  expect(result).toMatchObject({ ok: true, value: { callbacks: callbackIds.length } })
}

it('a search by age finds the same with blocks as without, before and after removals', () => {
  const { db, writer } = opened()
  fill(writer, 3300)
  expect(db.prepare('select distinct block from callback_blocks order by 1').pluck().all()).toEqual([0, 1, 2])
  expectSame(db)

  const old = aged(db, 'payload', 'payment', NOON + 2000)
  remove(writer, 'payload', old)
  expectSame(db)
  remove(writer, 'metadata', old.slice(0, 900))
  remove(writer, 'payload', aged(db, 'payload', 'probe', NOON + 9_000_000))
  expectSame(db)
  expect(listStoredKinds(db)).toEqual(KINDS)
  remove(writer, 'metadata', aged(db, 'metadata', 'probe', NOON + 9_000_000))
  expect(listStoredKinds(db)).toEqual(['charge', 'payment', 'registration'])
  fill(writer, 1500, 4000)
  expectSame(db)
})

it('no summarized block gets another callback, whatever was removed or undone before', () => {
  const { db, writer } = opened()
  fill(writer, 2100)
  const newest = db.prepare<[], number>('select id from callbacks where id > 1000').pluck().all()
  remove(writer, 'payload', newest)
  remove(writer, 'metadata', newest)
  expect(db.prepare('select max(id) from callbacks').pluck().get()).toBe(1000)

  const next = createWriter(db, OPTIONS)
  fill(next, 1, 5000)
  expect(db.prepare('select max(id) from callbacks').pluck().get()).toBe(1024)
  fill(next, 1000, 5001)
  // The summary of this block is undone with its batch, and written again.
  db.exec(
    `create temp trigger refuse before insert on callbacks when new.target = 'refused' begin select raise(fail, 'no'); end`,
  )
  const refused = storing(aCallback({ text: 'refused', target: 'refused' }))
  const { results } = next.run([...Array.from({ length: 40 }, (_, n) => nth(6000 + n)), refused])
  expect(results.map(({ ok }) => ok)).toEqual([...Array.from({ length: 40 }, () => true), false])
  expect(db.prepare('select max(block) from callback_blocks').pluck().get()).toBe(1)
  expectSame(db)
})

it('of an emptied database nothing is left in the blocks', () => {
  const { db, writer } = opened()
  fill(writer, 1100)
  const all = db.prepare<[], number>('select id from callbacks').pluck().all()
  remove(writer, 'payload', all)
  remove(writer, 'metadata', all)
  expect(['callback_blocks', 'callbacks', 'events'].map((table) => db.prepare(`select * from ${table}`).all())).toEqual(
    [[], [], []],
  )
  fill(writer, 10)
  fill(createWriter(db, OPTIONS), 2000, 2000)
  expectSame(db)
})

it('a search by age visits blocks by their summaries and callbacks by their numbers, and sorts nothing', () => {
  const { db } = opened()
  const prepared: string[] = []
  const prepare = db.prepare.bind(db)
  db.prepare = ((sql: string) => {
    prepared.push(sql)
    return prepare(sql)
  }) as typeof db.prepare
  findRemovable(db, { part: 'payload', kind: 'payment', before: NOON, after: null }, 9)
  const values = { kind: 'payment', before: 1, after: 0, limit: 1 }
  const plans = prepared.map((sql) =>
    prepare<object, { detail: string }>(`explain query plan ${sql}`)
      .all(values)
      .map(({ detail }) => detail),
  )
  expect(plans).toHaveLength(2)
  expect(plans.flat().filter((line) => /B-TREE|SCAN/.test(line))).toEqual([])
  expect(plans[0]).toContain('SEARCH c USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)')
  expect(plans[1]).toContain('SEARCH c USING INTEGER PRIMARY KEY (rowid>?)')
})
