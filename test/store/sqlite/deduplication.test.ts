import { createHash } from 'node:crypto'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { migrate } from '../../../src/store/sqlite/database/migrations.ts'
import { createDeduplication } from '../../../src/store/sqlite/deduplication/deduplication.ts'
import type { Geometry } from '../../../src/store/sqlite/deduplication/hash-words.ts'
import { sealedFaults } from '../../../src/store/sqlite/deduplication/verify-sealed.ts'
import { NOON } from '../../support/builders.ts'

/** Blocks of 32 positions in 4 buckets: sealed within 6 additions. */
const SMALL: Geometry = { blockBits: 5, bucketBits: 2 }

interface StoredEvent {
  /** In hexadecimal digits. */
  readonly hash: string
  readonly receivedAt: number
}

type Step =
  | { readonly do: 'batch'; readonly facts: readonly (number | null)[]; readonly isRolledBack: boolean }
  | { readonly do: 'release'; readonly fact: number; readonly ageMs: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'restart'; readonly windowMs: number }
  | { readonly do: 'remove'; readonly events: number }
  | { readonly do: 'skip' }

/** Half of the facts share their first 8 bytes with others: only the full hash tells them apart. */
function hashOf(fact: number): Buffer {
  const hash = createHash('sha256').update(`${fact}`).digest()
  if (fact % 2 === 0)
    createHash('sha256')
      .update(`${fact % 6}`)
      .digest()
      .copy(hash, 0, 0, 8)
  return hash
}

/** A deduplication over a database of its own, beside a Map of the same events. */
function createModel() {
  const db = new Database(':memory:')
  onTestFinished(() => void db.close())
  db.pragma('foreign_keys = off')
  migrate(db)
  const insert = db.prepare(`
    insert into events (id, nonce, callback_id, kind, environment, received_at, part, parts, fact_hash, payload_hash, hash)
    values (?, 'n', 1, 'payment', 'production', ?, 1, 1, ?, x'', x'')`)
  const late = db.prepare(`
    insert into quarantine (callback_id, kind, environment, reason, received_at, part, parts, last_seen_at, event_id)
    values (1, 'payment', 'production', '', 0, 1, 1, 0, ?)`)
  const removeFirst = db.prepare('delete from events where id <= ?')
  let events = new Map<number, StoredEvent>()
  let position = 0
  let now = NOON
  let windowMs = 1000
  const open = () =>
    createDeduplication(db, {
      window: { since: () => now - windowMs, has: (receivedAt) => receivedAt > now - windowMs },
      geometry: SMALL,
    })
  let deduplication = open()

  function expectFound(hash: Buffer | null): number | null {
    const found = deduplication.find(hash)
    const digits = hash?.toString('hex')
    const equal: number[] = []
    for (const [at, event] of events) if (event.hash === digits && event.receivedAt > now - windowMs) equal.push(at)
    if (equal.length === 0) expect(found).toBe(null)
    else expect(equal).toContain(found)
    return found
  }

  function add(hash: Buffer | null, receivedAt: number): void {
    position++
    insert.run(position, receivedAt, hash)
    deduplication.add(hash, position, receivedAt)
    if (hash !== null) events.set(position, { hash: hash.toString('hex'), receivedAt })
  }

  function batch(facts: readonly (number | null)[], isRolledBack: boolean): void {
    const before = { events: new Map(events), position }
    db.exec('begin')
    for (const fact of facts) {
      const hash = fact === null ? null : hashOf(fact)
      if (expectFound(hash) === null) add(hash, now)
    }
    db.exec(isRolledBack ? 'rollback' : 'commit')
    if (!isRolledBack) return deduplication.committed()
    deduplication.rolledBack()
    ;({ events, position } = before)
  }

  function perform(step: Step): void {
    if (step.do === 'batch') batch(step.facts, step.isRolledBack)
    else if (step.do === 'wait') now += step.ms
    else if (step.do === 'skip') position += 1000
    else if (step.do === 'restart') {
      windowMs = step.windowMs
      deduplication = open()
    } else if (step.do === 'release') {
      if (expectFound(hashOf(step.fact)) !== null) return
      db.exec('begin')
      add(hashOf(step.fact), now - step.ageMs)
      late.run(position)
      db.exec('commit')
      deduplication.committed()
    } else {
      const through = [...events.keys()][Math.min(step.events, events.size) - 1] ?? 0
      removeFirst.run(through)
      for (const at of events.keys()) if (at <= through) events.delete(at)
    }
  }

  const count = (table: string) => db.prepare<[], number>(`select count(*) from ${table}`).pluck().get()
  return { db, perform, expectFound, count, facts: (from: number, to: number) => factsOf(from, to) }
}

function factsOf(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i)
}

const aFact = fc.integer({ min: 0, max: 400 })
const aStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('batch' as const),
      facts: fc.array(fc.option(aFact, { freq: 20 }), { minLength: 1, maxLength: 40 }),
      isRolledBack: fc.boolean(),
    }),
  },
  fc.record({ do: fc.constant('release' as const), fact: aFact, ageMs: fc.integer({ min: 0, max: 1500 }) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: -600, max: 900 }) }),
  fc.record({ do: fc.constant('restart' as const), windowMs: fc.constantFrom(300, 1000, 3000) }),
  fc.record({ do: fc.constant('remove' as const), events: fc.integer({ min: 0, max: 60 }) }),
  { weight: 1, arbitrary: fc.constant({ do: 'skip' as const }) },
)

const batch = (facts: readonly number[], isRolledBack = false): Step => ({ do: 'batch', facts, isRolledBack })

describe('the deduplication', () => {
  it('finds what a Map of the same events finds, whatever batches, rollbacks, restarts, removals, windows and clocks did', () => {
    fc.assert(
      fc.property(fc.array(aStep, { minLength: 10, maxLength: 60 }), (steps) => {
        const { db, perform } = createModel()
        for (const step of steps) perform(step)
        expect(sealedFaults(db, SMALL, 1)).toEqual([])
      }),
      { numRuns: 80 },
    )
  })

  it('writes a block once it is complete, and reads only later events at a start', () => {
    const { perform, expectFound, count } = createModel()
    for (let n = 0; n < 70; n++) perform(batch([n]))
    expect([count('sealed_blocks'), count('sealed_hashes')]).toEqual([2, 8])
    perform({ do: 'restart', windowMs: 1000 })
    for (let n = 0; n < 70; n++) expect(expectFound(hashOf(n))).toBe(n + 1)
  })

  it('finds each hash of more blocks than one row of filters has, when they are sealed and after a restart', () => {
    const { perform, expectFound, count, facts } = createModel()
    for (let n = 0; n < 1300; n += 20) perform(batch(facts(n, n + 20)))
    expect(count('sealed_blocks')).toBe(40)
    for (let n = 0; n < 1300; n += 7) expect(expectFound(hashOf(n))).toBe(n + 1)
    perform({ do: 'restart', windowMs: 1000 })
    for (let n = 0; n < 1300; n += 7) expect(expectFound(hashOf(n))).toBe(n + 1)
    for (let n = 1300; n < 1400; n += 20) perform(batch(facts(n, n + 20)))
    for (let n = 0; n < 1400; n += 7) expect(expectFound(hashOf(n))).toBe(n + 1)
  })

  it('repeats the steps of a rolled back batch, and those that a crash has cut off', () => {
    const { db, perform, expectFound, count } = createModel()
    for (let n = 0; n < 32; n++) perform(batch([n]))
    perform(batch([40, 41, 42, 43, 44, 45], true))
    expect(count('sealed_hashes')).toBe(0)
    perform(batch([32, 33]))
    expect([count('sealed_blocks'), count('sealed_hashes')]).toEqual([0, 2])
    perform({ do: 'restart', windowMs: 1000 })
    expect([count('sealed_blocks'), count('sealed_hashes')]).toEqual([1, 4])
    expect(sealedFaults(db, SMALL, 1)).toEqual([])
    for (let n = 0; n < 34; n++) expect(expectFound(hashOf(n))).toBe(n + 1)
  })

  it('seals at a start all complete blocks behind the last sealed one: a crash leaves several where most facts have no hash', () => {
    const { db, perform, expectFound, count } = createModel()
    for (let n = 0; n < 32; n++) perform(batch([n]))
    perform({ do: 'batch', facts: Array.from({ length: 64 }, () => null), isRolledBack: false })
    perform(batch([32]))
    expect(count('sealed_blocks')).toBe(0)
    perform({ do: 'restart', windowMs: 1000 })
    expect(count('sealed_blocks')).toBe(3)
    expect(sealedFaults(db, SMALL, 1)).toEqual([])
    for (let n = 0; n < 33; n++) expect(expectFound(hashOf(n))).toBe(n < 32 ? n + 1 : 97)
  })

  it('finds facts again when the clock was far ahead and is set back', () => {
    const { perform, expectFound } = createModel()
    for (let n = 0; n < 70; n++) perform(batch([n]))
    perform({ do: 'wait', ms: 5000 })
    for (let n = 70; n < 140; n++) perform(batch([n]))
    expect(expectFound(hashOf(1))).toBe(null)
    perform({ do: 'wait', ms: -5000 })
    for (let n = 0; n < 140; n++) expect(expectFound(hashOf(n))).toBe(n + 1)
    perform({ do: 'wait', ms: 5000 })
    for (let n = 140; n < 240; n++) perform(batch([n]))
    for (let n = 140; n < 240; n++) expect(expectFound(hashOf(n))).toBe(n + 1)
  })

  it('finds facts of the block that a crash left unsealed, when the clock was far ahead at the start and is set back', () => {
    const { perform, expectFound } = createModel()
    for (let n = 0; n < 34; n++) perform(batch([n]))
    perform({ do: 'wait', ms: 5000 })
    perform({ do: 'restart', windowMs: 1000 })
    perform({ do: 'wait', ms: -5000 })
    for (let n = 0; n < 34; n++) expect(expectFound(hashOf(n))).toBe(n + 1)
  })

  it('removes at a start what a crash left of a block whose events are gone', () => {
    const { perform, count } = createModel()
    for (let n = 0; n < 34; n++) perform(batch([n]))
    expect([count('sealed_blocks'), count('sealed_hashes')]).toEqual([0, 2])
    perform({ do: 'remove', events: 33 })
    perform({ do: 'restart', windowMs: 1000 })
    expect(count('sealed_hashes')).toBe(0)
  })

  it('removes the rows of blocks whose events are gone, two with each sealed block', () => {
    const { perform, count } = createModel()
    for (let n = 0; n < 200; n++) perform(batch([n]))
    expect(count('sealed_blocks')).toBe(6)
    perform({ do: 'remove', events: 150 })
    for (let n = 200; n < 232; n++) perform(batch([n]))
    expect([count('sealed_blocks'), count('sealed_hashes')]).toEqual([5, 20])
    for (let n = 232; n < 264; n++) perform(batch([n]))
    expect([count('sealed_blocks'), count('sealed_hashes')]).toEqual([4, 16])
  })

  it.each([
    ['part', 'delete from sealed_hashes where id = 5', 'has 3 of its 4 parts'],
    [
      'hash',
      'update sealed_hashes set entries = substr(entries, 5) where id = 5',
      /^has \d+ hashes, and should have 32$/,
    ],
    [
      'event',
      'update sealed_hashes set entries = zeroblob(length(entries)) where id = 5; update sealed_blocks set filter = zeroblob(0)',
      /^does not lead to event \d+$/,
    ],
    [
      'filter',
      'update sealed_blocks set filter = zeroblob(length(filter)) where block = 1',
      /^does not lead to event 32$/,
    ],
    ['time', 'update sealed_blocks set latest = 0', 'has an event that was received later than the block says'],
  ])('is verified: a block without its %s is a fault', (_what, sql, fault) => {
    const { db, perform } = createModel()
    for (let n = 0; n < 70; n++) perform(batch([n]))
    db.exec(sql)
    const words = sealedFaults(db, SMALL, 1).find((text) => text.startsWith('sealed block 1 '))
    expect(words?.replace('sealed block 1 of the deduplication ', '')).toMatch(fault)
  })
})
