import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import {
  BLOCK,
  BUCKETS,
  encodeSet,
  LAST_ROW,
  lastCompleteSet,
  SET,
  subjectKey,
} from '../../../src/store/sqlite/blocks/subject-entries.ts'
import { CANDIDATES_AT_ONCE, candidatesOf } from '../../../src/store/sqlite/blocks/subject-index.ts'
import { createSubjectRemoval, createSubjectWriter } from '../../../src/store/sqlite/blocks/subject-writer.ts'
import { subjectFaults } from '../../../src/store/sqlite/blocks/verify-subjects.ts'
import type { Connection } from '../../../src/store/sqlite/database/connection.ts'
import { openForWriting } from '../../../src/store/sqlite/database/connection.ts'
import { migrate } from '../../../src/store/sqlite/database/migrations.ts'
import { listEvents } from '../../../src/store/sqlite/events/event-queries.ts'
import { findSubject } from '../../../src/store/sqlite/retention/removal-queries.ts'
import { createWriter } from '../../../src/store/sqlite/threads/writer.ts'
import { aCallback, aFact, NOON } from '../../support/builders.ts'
import { temporaryDatabase } from '../../support/store.ts'

/** A year of skipped positions, as after a restored backup. */
const SKIPPED = 1_000_000_000
/** Not a whole set: the last blocks are summarized, the last events are not. */
const EVENTS = SET + 5 * BLOCK + 100
const AFTER_SKIPPED = EVENTS + SKIPPED
const FIRST_AFTER_SKIPPED = Math.floor((AFTER_SKIPPED + 1) / BLOCK)

/**
 * Events of one callback. Every 7th has no subject, every 5th the subject `often`, others have one of `s0` to `s9999`. After EVENTS positions a billion
 * are skipped; 3 more blocks follow.
 */
const FILLED = (function filled(): Buffer {
  const db = new Database(':memory:')
  migrate(db)
  db.exec(`
    insert into callbacks (received_at, kind, environment, authentication, headers, body) values (0, 'payment', 'production', 'none', '[]', x'');
    with recursive n (i) as (select 1 union all select i + 1 from n where i < ${EVENTS + 3 * BLOCK})
    insert into events (id, nonce, callback_id, kind, environment, received_at, subject, part, parts, payload_hash, hash)
    select iif(i > ${EVENTS}, i + ${SKIPPED}, i), '0123456789', 1, 'payment', 'production', i,
      iif(i % 7 = 0, null, iif(i % 5 = 0, 'often', 's' || (i * 7919 % 10000))), 1, 1, x'', x'' from n`)
  return db.serialize()
})()

function withEvents(content = FILLED): Connection {
  const db = new Database(content)
  onTestFinished(() => void db.close())
  return db
}

/** Summarizes the blocks before the last one, as the writer does: each when the next one begins, with a step in between. */
function summarize(db: Connection, each: (block: number) => void = () => undefined): void {
  const blocks = db.prepare<[], number>(`select distinct id / ${BLOCK} from events order by 1`).pluck().all()
  const writer = createSubjectWriter(db)
  for (const [at, block] of blocks.slice(0, -1).entries()) {
    db.prepare('insert into event_blocks (block, earliest, latest) values (?, 0, 0)').run(block)
    writer.sum(block)
    writer.step(blocks[at + 1] as number)
    each(block)
  }
}

/** The events, and all sets that can be complete. */
const COMPLETED = (function completed(): Buffer {
  const db = new Database(FILLED)
  summarize(db)
  const writer = createSubjectWriter(db)
  // A set takes 16 steps.
  for (let step = 0; step < 32; step++) writer.step(Math.floor((AFTER_SKIPPED + 3 * BLOCK) / BLOCK))
  expect(lastCompleteSet(db.prepare<[], number | null>(LAST_ROW).pluck().get())).toBe(1)
  return db.serialize()
})()

const RANGES = [
  [0, Number.MAX_SAFE_INTEGER],
  [1000, SET - 3000],
  [SET - 5, AFTER_SKIPPED + 1500],
  [EVENTS + 10, AFTER_SKIPPED - 10],
  [7 * BLOCK, 7 * BLOCK - 1],
] as const

const SUBJECTS = ['s17', 's4242', 's0', 'none', 'often']
const POSITIONS = new Map(
  SUBJECTS.map((subject) => [
    subject,
    new Database(FILLED)
      .prepare<[string], number>('select id from events where subject = ? order by id')
      .pluck()
      .all(subject),
  ]),
)

/** @param firstLeft positions before it were removed: they may be found */
function expectAllFound(db: Connection, firstLeft = 0): void {
  for (const [subject, all] of POSITIONS) {
    for (const [first, to] of RANGES) {
      const from = Math.max(first, firstLeft)
      const expected = all.filter((position) => position >= from && position <= to)
      const lists = [...candidatesOf(db, { subject, from, to })]
      // As texts: comparing many thousands of numbers one by one takes longer than finding them.
      expect(lists.flat().join()).toBe(expected.join())
      expect(Math.max(0, ...lists.map(({ length }) => length))).toBeLessThanOrEqual(CANDIDATES_AT_ONCE)
      const newestFirst = [...candidatesOf(db, { subject, from, to, newestFirst: true })].flat()
      expect(newestFirst.join()).toBe(expected.toReversed().join())
    }
  }
}

it('every event is found by its subject while blocks are summarized and become sets, in both directions', () => {
  const db = withEvents()
  expectAllFound(db)
  summarize(db, (block) => {
    if (![0, 60, 127, 130, 132].includes(block)) return
    expect(lastCompleteSet(db.prepare<[], number | null>(LAST_ROW).pluck().get())).toBe(-1)
    expectAllFound(db)
  })
  // A set takes 16 steps, so both are complete after 32. Then the rows of their blocks are removed.
  const open = Math.floor((AFTER_SKIPPED + 3 * BLOCK) / BLOCK)
  const writer = createSubjectWriter(db)
  for (let step = 0; step < 20; step++) writer.step(open)
  expect(lastCompleteSet(db.prepare<[], number | null>(LAST_ROW).pluck().get())).toBe(0)
  expectAllFound(db)
  for (let step = 0; step < 5; step++) writer.step(open)
  // The second one has 6 blocks: the next events came after the skipped positions.
  expect(lastCompleteSet(db.prepare<[], number | null>(LAST_ROW).pluck().get())).toBe(1)
  expectAllFound(db)
  for (let step = 0; step < 40; step++) writer.step(open)
  expect(db.prepare('select min(block) from subject_blocks').pluck().get()).toBe(FIRST_AFTER_SKIPPED)
  expectAllFound(db)
  expect(subjectFaults(db)).toEqual([])
})

it('entries of complete sets and of blocks have no fault', () => {
  expect(subjectFaults(withEvents(COMPLETED))).toEqual([])
})

it('rows go with their events', () => {
  const db = withEvents(COMPLETED)
  const remove = createSubjectRemoval(db)
  db.exec(`delete from events where id < ${SET + 2 * BLOCK}`)
  for (let step = 0; step < 40; step++) remove(16)
  expect(db.prepare('select min(id) from subject_sets').pluck().get()).toBe(BUCKETS)
  expect(db.prepare('select min(block) from subject_blocks').pluck().get()).toBe(FIRST_AFTER_SKIPPED)
  expectAllFound(db, SET + 2 * BLOCK)
  expect(subjectFaults(db)).toEqual([])
})

it.each([
  ['in a block', `update subject_blocks set data = substr(data, 7) where block = ${FIRST_AFTER_SKIPPED}`],
  ['in a set', 'update subject_sets set data = substr(data, 7) where id = 5'],
  ['of a changed subject', `update events set subject = 'other' where id = ${BLOCK + 1}`],
])('a wrong entry %s is a fault', (_where, sql) => {
  const db = withEvents(COMPLETED)
  db.exec(sql)
  expect(subjectFaults(db)).toEqual([expect.stringMatching(/^event that the index of subjects lacks.*: \d+$/)])
})

it('a page by subject ends after a while, and continues where it ended', () => {
  const db = withEvents()
  db.exec(`update events set subject = 'often', environment = iif(id = 1, 'sandbox', environment)`)
  const pages: [number, number, boolean | undefined][] = []
  for (let before = Number.MAX_SAFE_INTEGER, isLast = false; !isLast; ) {
    const page = listEvents(db, { subject: 'often', environment: 'sandbox', newestFirst: true, before }, 10)
    pages.push([page.events.length, page.next, page.more])
    before = page.next
    isLast = !page.more
  }
  expect(pages.map(([found]) => found)).toEqual([0, 0, 1])
})

it('of two subjects with the same key, each has its own events', () => {
  const db = withEvents()
  const [one, other] = ['s20479', 's45651']
  expect(subjectKey(one)).toBe(subjectKey(other))
  db.exec(`update events set subject = iif(id = 5, '${one}', '${other}') where id in (5, 6)`)
  summarize(db)
  for (const [subject, position] of [
    [one, 5],
    [other, 6],
  ] as const) {
    expect([...candidatesOf(db, { subject, from: 0, to: BLOCK })].flat()).toEqual([5, 6])
    expect(listEvents(db, { subject }, 10).events).toMatchObject([{ subject, position }])
    expect(findSubject(db, { subject, institution: null, environment: null }, 10).positions).toEqual([position])
  }
})

it('positions that a restored backup skipped are skipped between sets, too, in both directions', () => {
  const db = new Database(':memory:')
  onTestFinished(() => void db.close())
  migrate(db)
  const sets = [1, 3, 8000]
  const insert = db.prepare('insert into subject_sets (id, data) values (?, ?)')
  for (const set of sets)
    for (const [bucket, row] of encodeSet([[7, subjectKey('s')]]).entries()) insert.run(set * BUCKETS + bucket, row)
  const range = { subject: 's', from: 0, to: 9000 * SET }
  const expected = sets.map((set) => set * SET + 7)
  expect([...candidatesOf(db, range)].flat()).toEqual(expected)
  expect([...candidatesOf(db, { ...range, newestFirst: true })].flat()).toEqual(expected.toReversed())
})

it('a redaction finds the events of a subject, newest first', () => {
  const db = withEvents()
  summarize(db)
  const positions = db.prepare(`select id from events where subject = 's17' order by id desc`).pluck().all()
  expect(findSubject(db, { subject: 's17', institution: null, environment: null }, 1000).positions).toEqual(positions)
  expect(findSubject(db, { subject: 's17', institution: null, environment: null }, 3).positions).toEqual(
    positions.slice(0, 3),
  )
  expect(findSubject(db, { subject: 's17', institution: null, environment: 'sandbox' }, 1000).positions).toEqual([])
})

it('a batch that is rolled back leaves no entry', () => {
  const db = openForWriting(temporaryDatabase())
  onTestFinished(() => void db.close())
  migrate(db)
  const writer = createWriter(db, { deduplicationWindowMs: 0, firstWaitMs: 0, now: () => NOON })
  const store = (text: string, count: number, changes = {}) =>
    ({
      method: 'storeCallback',
      args: [
        aCallback({
          text,
          facts: Array.from({ length: count }, (_, i) => aFact({ subject: `${text}${i}` })),
          ...changes,
        }),
      ],
    }) as const
  db.exec(
    `create temp trigger refuse before insert on callbacks when new.target = 'refused' begin select raise(fail, 'no'); end`,
  )
  writer.run([store('a', 2000)])
  writer.run([store('b', 1500), store('c', 1, { target: 'refused' })])
  writer.run([store('d', 1500)])
  expect(subjectFaults(db)).toEqual([])
  for (const subject of ['a1999', 'b3', 'd1499'])
    expect(listEvents(db, { subject }, 10).events.map((event) => event.subject)).toEqual([subject])
})
