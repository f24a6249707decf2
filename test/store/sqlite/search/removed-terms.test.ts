import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SEARCH_TASKS } from '../../../../src/domain/search/search-work.ts'
import { openForReading } from '../../../../src/store/sqlite/database/connection.ts'
import { buildAgain, buildNew } from '../../../../src/store/sqlite/search/build-run.ts'
import { inOnePart } from '../../../../src/store/sqlite/search/in-parts.ts'
import { mergeNext } from '../../../../src/store/sqlite/search/merge-runs.ts'
import type { SearchChange } from '../../../../src/store/sqlite/search/search-change.ts'
import { prepareSearchRemoval } from '../../../../src/store/sqlite/search/search-removal.ts'
import type { SqliteStore } from '../../../../src/store/sqlite/sqlite-store.ts'
import { aCallback, aFact, NOON } from '../../../support/builders.ts'
import { violationsOf } from '../../../support/invariants.ts'
import { indexAll, searchAll } from '../../../support/search.ts'
import { databaseFrom, openTestStore, temporaryDatabase } from '../../../support/store.ts'

const LATER = NOON * 2
const EVENTS = 40

/** Terms of the nth event. The index stores the end of a term as it is, and its beginning only where the term before is different. */
function secretsOf(n: number): string[] {
  return Array.from({ length: 30 }, (_, at) => createHash('sha256').update(`${n} ${at}`).digest('hex'))
}

function contentsOf(file: string): string {
  return ['', '-wal'].map((suffix) => readFileSync(`${file}${suffix}`, 'latin1')).join()
}

/** Which of the events the files of the database still say something about. */
function leftIn(file: string): number[] {
  const contents = contentsOf(file)
  return Array.from({ length: EVENTS }, (_, n) => n).filter((n) =>
    secretsOf(n).some((secret) => contents.includes(secret.slice(8))),
  )
}

/** The content of a database with several runs of several pages. */
async function fill(): Promise<Buffer> {
  const file = temporaryDatabase()
  const store = await openTestStore({ file })
  for (let n = 0; n < EVENTS; n++) {
    const body = Buffer.from(JSON.stringify({ secrets: secretsOf(n) }))
    const kind = n % 4 === 3 ? 'charge' : 'payment'
    await store.storeCallback(aCallback({ kind, body, facts: [aFact({ kind, subject: `s${n % 5}` })] }))
    if (n % 10 === 9) await indexAll(store, ['index'])
  }
  await store.close()
  return readFileSync(file)
}

let filled: Promise<Buffer> | undefined

async function openFilled(): Promise<{ store: SqliteStore; file: string }> {
  filled ??= fill()
  const file = databaseFrom(await filled)
  return { store: await openTestStore({ file }), file }
}

async function redact(store: SqliteStore, subject: string, isPrepared: boolean, limit = 100): Promise<void> {
  const search = { subject, institution: null, environment: null }
  const found = await store.findSubject(search, limit)
  await store.redact({ ...search, ...found }, LATER, isPrepared ? undefined : { runs: [] })
}

const numbersWhere = (isLeft: (n: number) => boolean) => Array.from({ length: EVENTS }, (_, n) => n).filter(isLeft)

describe('terms of removed events', () => {
  it.each([true, false])('leave the files with a redaction, whether it was prepared: %s', async (isPrepared) => {
    const { store, file } = await openFilled()
    expect(leftIn(file)).toHaveLength(EVENTS)
    await redact(store, 's2', isPrepared)
    expect(await store.checkpointWal()).toBe(true)
    expect(leftIn(file)).toEqual(numbersWhere((n) => n % 5 !== 2))
    for (const n of [1, 39])
      expect(await searchAll(store, secretsOf(n)[7] as string, { kinds: ['payment', 'charge'] })).toHaveLength(1)
    expect(await searchAll(store, secretsOf(22)[7] as string)).toEqual([])
    expect(violationsOf(file, { now: LATER, stuckAfterMs: 10_000 })).toEqual([])
  })

  it('leave the files with a redaction of so many events that one released from quarantine is not among the first', async () => {
    const file = temporaryDatabase()
    const store = await openTestStore({ file })
    for (let n = 0; n < 6; n++) {
      const body = Buffer.from(JSON.stringify({ secrets: secretsOf(n) }))
      const fact = aFact({ subject: n < 4 ? 's' : 'other', ...(n === 0 && { quarantine: 'account_foreign' as const }) })
      const { quarantineIds } = await store.storeCallback(aCallback({ body, facts: [fact] }))
      if (n === 0) expect(quarantineIds).toEqual(['qtn_1'])
      if (n === 0) await store.releaseQuarantined(1, { by: 'operator', at: NOON })
    }
    await indexAll(store)
    for (let step = 0; step < 2; step++) await redact(store, 's', true, 2)
    expect(await store.findSubject({ subject: 's', institution: null, environment: null }, 9)).toMatchObject({
      positions: [],
    })
    expect(await store.checkpointWal()).toBe(true)
    expect(leftIn(file)).toEqual([4, 5])
  })

  it.each(['payload', 'metadata'] as const)('leave the files with the removal of the %s', async (part) => {
    const { store, file } = await openFilled()
    await indexAll(store, ['merge'])
    const { callbacks } = await store.findRemovable({ part: 'payload', kind: 'charge', before: LATER, after: null }, 4)
    const callbackIds = callbacks.map(({ callbackId }) => callbackId)
    await store.removeAged({ part: 'payload', before: LATER, callbackIds }, LATER)
    if (part === 'metadata') await store.removeAged({ part, before: LATER, callbackIds }, LATER)
    expect(await store.checkpointWal()).toBe(true)
    expect(leftIn(file)).toEqual(numbersWhere((n) => n % 4 !== 3 || n > 15))
    expect(violationsOf(file, { now: LATER, stuckAfterMs: 10_000 })).toEqual([])
  })
})

describe('a change of the index', () => {
  it.each(SEARCH_TASKS)('is refused where events were removed since it was computed: %s', async (task) => {
    const { store, file } = await openFilled()
    if (task === 'index') await storeOne(store, '{"name":"nobody"}')
    if (task === 'rebuild') await store.rebuildSearch()
    if (task === 'merge') for (let n = 0; n < 8; n++) await addOne(store, [`${n}`])
    const change = (await store.prepareSearchChange(task, { limit: 100 })) as SearchChange
    expect(change.runs.length).toBeGreaterThan(0)
    await redact(store, 's2', true)
    expect(await store.applySearchChange(change)).toBe(false)
    await indexAll(store)
    expect(await store.checkpointWal()).toBe(true)
    expect(leftIn(file)).toEqual(numbersWhere((n) => n % 5 !== 2))
    expect(await searchAll(store, 'nobody')).toEqual([])
  })

  it.each(SEARCH_TASKS)('is refused where events were removed between its parts: %s', async (task) => {
    const { store, file } = await openFilled()
    if (task === 'index') for (let n = 0; n < 10; n++) await storeOne(store, JSON.stringify(secretsOf(EVENTS + n)))
    if (task === 'rebuild') await store.rebuildSearch()
    if (task === 'merge') for (let n = 0; n < 8; n++) await addOne(store, secretsOf(EVENTS + n))
    const work = { index: buildNew, rebuild: buildAgain, merge: mergeNext }[task](reading(file), { limit: 100 })
    expect(work.next().done).toBe(false)
    await redact(store, 's2', true)
    expect(await store.applySearchChange(inOnePart(work) as SearchChange)).toBe(false)
    await indexAll(store)
    expect(await store.checkpointWal()).toBe(true)
    expect(leftIn(file)).toEqual(numbersWhere((n) => n % 5 !== 2))
  })

  it('is refused where the settings have changed since', async () => {
    const { store } = await openFilled()
    await store.rebuildSearch()
    const change = (await store.prepareSearchChange('rebuild', { limit: 100 })) as SearchChange
    await store.configureSearch({ payment: { exclude: ['/secrets/0'] } })
    expect(await store.applySearchChange(change)).toBe(false)
  })

  it.each([0, 1, 9])(
    'is computed again for a redaction where another one came between, after part %i',
    async (parts) => {
      const { store, file } = await openFilled()
      const found = await store.findSubject({ subject: 's2', institution: null, environment: null }, 100)
      const work = prepareSearchRemoval(reading(file), found.positions)
      for (let part = 0; part < parts; part++) expect(work.next().done).toBe(false)
      await redact(store, 's3', false)
      const prepared = inOnePart(work)
      await store.redact({ subject: 's2', institution: null, environment: null, ...found }, LATER, prepared)
      expect(await store.checkpointWal()).toBe(true)
      expect(leftIn(file)).toEqual(numbersWhere((n) => n % 5 !== 2 && n % 5 !== 3))
    },
  )
})

function reading(file: string) {
  const db = openForReading(file)
  onTestFinished(() => void db.close())
  return db
}

async function storeOne(store: SqliteStore, text: string): Promise<void> {
  await store.storeCallback(aCallback({ text, facts: [aFact({ subject: 's2' })] }))
}

/** An event, and a run of it alone. */
async function addOne(store: SqliteStore, values: readonly string[]): Promise<void> {
  await storeOne(store, JSON.stringify(values))
  await indexAll(store, ['index'])
}
