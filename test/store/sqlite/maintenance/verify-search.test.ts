import Database from 'better-sqlite3'
import { expect, it, onTestFinished, vi } from 'vitest'
import { SEARCH_TASKS, type SearchSettings } from '../../../../src/domain/search/search-work.ts'
import type { Store } from '../../../../src/domain/store.ts'
import { verifySearch } from '../../../../src/store/sqlite/maintenance/verify-search.ts'
import { firstTermOf, PageReader, RunWriter } from '../../../../src/store/sqlite/search/run-format.ts'
import { aCallback, aFact, anInterpretedCallback, NOON } from '../../../support/builders.ts'
import { indexAll } from '../../../support/search.ts'
import { databaseFrom, openTestStore, temporaryDatabase } from '../../../support/store.ts'

const EVENTS = 40
const NAMES = ['Ana', 'Bruno', 'Carla', 'Érica']

async function fill(store: Store, from = 1, to = EVENTS): Promise<void> {
  for (let n = from; n <= to; n++) {
    const body = JSON.stringify({
      identificador: `id-${n}`,
      nome: NAMES[n % NAMES.length],
      senha: `geheim${n}`,
      valor: n,
    })
    await store.storeCallback({ ...anInterpretedCallback(body), receivedAt: NOON })
  }
}

function check(file: string) {
  return verifySearch(file, () => undefined)
}

/** Runs of 10 events: 1 to 10, 11 to 20 and so on. */
async function indexedDatabase(settings: SearchSettings = {}): Promise<string> {
  const file = temporaryDatabase()
  const store = await openTestStore({ file })
  await store.configureSearch(settings)
  await fill(store)
  await indexAll(store, ['index'], 10)
  await store.close()
  return file
}

let sound: Promise<Buffer> | undefined

async function serialized(): Promise<Buffer> {
  const db = new Database(await indexedDatabase(), { readonly: true })
  const bytes = db.serialize()
  db.close()
  return bytes
}

/** A sound database that was changed by hand. */
async function damaged(change: (db: Database.Database) => void): Promise<string> {
  sound ??= serialized()
  const file = databaseFrom(await sound)
  const db = new Database(file)
  change(db)
  db.close()
  return file
}

it('an index that holds the terms of all events, and nothing else, has no problem', async () => {
  const steps: string[] = []
  const file = await damaged(() => undefined)
  const found = verifySearch(file, ({ words }) => steps.push(words))
  expect(found).toEqual({ problems: [], events: EVENTS, runs: 4, isRebuilding: false })
  expect(steps).toEqual([1, 2, 3, 4].map((part) => `search index: part ${part} of 4`))
})

it('an event of a kind that the index leaves out is not named as missing', async () => {
  const file = temporaryDatabase()
  const store = await openTestStore({ file })
  await store.configureSearch({ secret: null })
  for (const kind of ['secret', 'payment', 'secret', 'payment', 'secret'])
    await store.storeCallback(aCallback({ kind, facts: [aFact({ kind })] }))
  await indexAll(store)
  await store.close()
  expect(check(file).problems).toEqual([])
  new Database(file).exec('delete from search_pages; delete from search_runs').close()
  expect(check(file).problems).toEqual([
    'the search index leaves out events, so that searches miss them: positions 2, 4',
  ])
})

it('the positions that a restored backup skips are not searched for events', async () => {
  const file = await damaged((db) =>
    db.exec(`
      update events set id = 1000000000 where id = 40;
      update meta set value = json_set(value, '$.through', 1000000000) where key = 'search_index'`),
  )
  const prepare = vi.spyOn(Database.prototype, 'prepare')
  onTestFinished(() => prepare.mockRestore())
  expect(check(file).problems).toEqual([
    'the search index still has terms of events whose data was removed: positions 40',
    'the search index leaves out events, so that searches miss them: positions 1000000000',
  ])
  expect(prepare.mock.calls.length).toBeLessThan(100)
})

it.each<[string, (db: Database.Database) => void, string[]]>([
  [
    'a page is gone',
    (db) => db.exec('delete from search_pages where run = 2'),
    [
      'run of the search index without the pages that it says it has: 2',
      'the search index lacks terms of events, so that searches miss them: positions 11, 12, 13, 14, 15 and 5 more',
    ],
  ],
  [
    'a run is gone',
    (db) => db.exec('delete from search_pages where run = 3; delete from search_runs where id = 3'),
    ['the search index leaves out events, so that searches miss them: positions 21, 22, 23, 24, 25 and 5 more'],
  ],
  [
    'the last run is gone',
    (db) => db.exec('delete from search_pages where run = 4; delete from search_runs where id = 4'),
    ['the search index leaves out events, so that searches miss them: positions 31, 32, 33, 34, 35 and 5 more'],
  ],
  [
    'one event lacks one term',
    (db) => editEntries(db, 1, (term, offsets) => (term === 'id7' ? [] : offsets)),
    ['the search index lacks terms of events, so that searches miss them: positions 7'],
  ],
  [
    'one event lacks a term that others have',
    (db) => editEntries(db, 1, (term, offsets) => (term === 'ana' ? offsets.slice(1) : offsets)),
    ['the search index lacks terms of events, so that searches miss them: positions 4'],
  ],
  [
    'an event has a term of another one',
    (db) => editEntries(db, 1, (term, offsets) => (term === 'ana' ? [...offsets, 8] : offsets)),
    ['the search index has terms that events do not contain: positions 9'],
  ],
  [
    'data was removed beside the index',
    (db) => db.exec('update events set payload_removed_at = 1 where id in (12, 33)'),
    ['the search index still has terms of events whose data was removed: positions 12, 33'],
  ],
  [
    'the first term of a page is not where a search looks for it',
    (db) => db.exec(`update search_pages set first_term = x'7a' where run = 2`),
    ['parts of the search index cannot be read: those from positions 11'],
  ],
  [
    'a page is garbage',
    (db) => db.exec(`update search_pages set data = x'000005ff00ff00ff00ff' where run = 2`),
    ['parts of the search index cannot be read: those from positions 11'],
  ],
  [
    'a page names events that the run does not cover',
    (db) => editEntries(db, 1, (term, offsets) => (term === 'ana' ? [...offsets, 500] : offsets)),
    ['parts of the search index cannot be read: those from positions 1'],
  ],
  [
    'runs overlap',
    (db) => db.exec('update search_runs set first = 10 where id = 2'),
    [
      'run of the search index that overlaps another, or has more events than positions: 2',
      'the search index has terms that events do not contain',
    ],
  ],
  [
    'it says that it ends earlier',
    (db) => db.exec(`update meta set value = json_set(value, '$.through', 30) where key = 'search_index'`),
    ['run of the search index behind the last indexed event: 4'],
  ],
])('it is reported where %s', async (_what, change, texts) => {
  const { problems } = check(await damaged(change))
  expect(problems).toEqual(expect.arrayContaining(texts.map((text) => expect.stringMatching(new RegExp(`^${text}`)))))
  expect(problems.join()).not.toMatch(/ana|geheim/i)
})

/** Writes the page of a run again. @param edit the offsets of each term; none: without the term */
function editEntries(db: Database.Database, run: number, edit: (term: string, offsets: number[]) => number[]): void {
  const { id, data } = db.prepare('select id, data from search_pages where run = ?').get(run) as {
    id: number
    data: Buffer
  }
  const reader = new PageReader()
  const writer = new RunWriter(Number.POSITIVE_INFINITY)
  reader.open(data)
  const buffer = new Uint32Array(100)
  while (reader.next()) {
    const offsets = [...buffer.subarray(0, reader.readOffsets(buffer, 0, 0))]
    const edited = edit(Buffer.from(reader.term.subarray(0, reader.termLength)).toString(), offsets)
    if (edited.length > 0) writer.add(reader.term, reader.termLength, edited, edited.length)
  }
  const page = writer.end().subarray(4)
  db.prepare('update search_pages set data = ?, first_term = ? where id = ?').run(page, firstTermOf(page), id)
}

it('what a kind leaves out is not missed, and what was indexed with other settings is made again first', async () => {
  const file = temporaryDatabase()
  const store = await openTestStore({ file })
  await fill(store)
  await store.configureSearch({ payment: { exclude: [] } })
  await indexAll(store, SEARCH_TASKS, 10)
  expect(check(file)).toMatchObject({ problems: [], events: EVENTS })
  await store.configureSearch({ payment: { exclude: ['/senha'] } })
  expect(check(file)).toMatchObject({ problems: [], isRebuilding: true })
  const change = await store.prepareSearchChange('rebuild', { limit: 10 })
  if (change !== null) await store.applySearchChange(change)
  expect(check(file)).toMatchObject({ problems: [], isRebuilding: true })
  await indexAll(store, SEARCH_TASKS, 10)
  expect(check(file)).toMatchObject({ problems: [], isRebuilding: false })
  await store.configureSearch({ payment: null })
  await indexAll(store, SEARCH_TASKS, 10)
  expect(check(file)).toEqual({ problems: [], events: 0, runs: 0, isRebuilding: false })
})

it('redaction, removal by age and merges leave an index without a problem', async () => {
  const file = temporaryDatabase()
  const store = await openTestStore({ file })
  await store.configureSearch({})
  await fill(store)
  await indexAll(store, SEARCH_TASKS, 10)
  const search = { subject: 'id-5', institution: null, environment: null }
  await store.redact({ ...search, ...(await store.findSubject(search, 10)) }, NOON)
  await store.removeAged({ part: 'payload', before: NOON + 1, callbackIds: [1, 2, 39, 40] }, NOON + 1)
  expect(check(file)).toMatchObject({ problems: [], events: EVENTS - 5 })
  await store.removeAged({ part: 'metadata', before: NOON + 1, callbackIds: [1, 2] }, NOON + 1)
  await fill(store, EVENTS + 1, 2 * EVENTS)
  await indexAll(store, SEARCH_TASKS, 10)
  expect(check(file)).toMatchObject({ problems: [], events: 2 * EVENTS - 5 })
})
