import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { inOnePart } from '../../../../src/store/sqlite/search/in-parts.ts'
import { mergeRuns } from '../../../../src/store/sqlite/search/merge-runs.ts'
import { differencesOf } from '../../../../src/store/sqlite/search/run-differences.ts'
import { firstTermOf, PageReader, pagesOf, RunWriter } from '../../../../src/store/sqlite/search/run-format.ts'
import { listRuns, type SearchRun } from '../../../../src/store/sqlite/search/search-runs.ts'
import { createSearchWriter } from '../../../../src/store/sqlite/search/search-writer.ts'

/** The terms of the events at these positions. Each page, and each term, loses its first, its last or all of its events in some of the cases. */
const EVENTS = new Map<number, readonly string[]>([
  [3, ['a', 'ab', 'common', 'z3']],
  [4, ['ab', 'abc', 'common']],
  [7, ['b', 'common', 'zz']],
  [8, ['a', 'abc', 'common']],
  [9, ['common']],
  [15, ['a', 'b', 'ba', 'common', 'zz']],
])
const POSITIONS = [...EVENTS.keys()]
const SUBSETS = Array.from({ length: 2 ** POSITIONS.length }, (_, bits) =>
  POSITIONS.filter((_, at) => (bits >> at) & 1),
)

type Terms = Record<string, number[]>

/** What a run of these events has to contain. */
function termsOf(positions: readonly number[]): Terms {
  const terms: Terms = { '': [...positions] }
  for (const position of positions)
    for (const term of EVENTS.get(position) ?? []) terms[term] = [...(terms[term] ?? []), position]
  return Object.fromEntries(Object.entries(terms).sort(([one], [other]) => (one < other ? -1 : 1)))
}

function encoded(terms: Terms, first: number, pageBytes: number): Uint8Array[] {
  const writer = new RunWriter(pageBytes)
  for (const [term, positions] of Object.entries(terms))
    writer.add(
      Buffer.from(term),
      Buffer.byteLength(term),
      positions.map((position) => position - first),
      positions.length,
    )
  return [...pagesOf(writer.end())].map((page) => page.slice())
}

function decoded(pages: readonly Uint8Array[], first: number): Terms {
  const [reader, offsets] = [new PageReader(), new Uint32Array(64)]
  const terms: Terms = {}
  for (const page of pages) {
    reader.open(page)
    while (reader.next()) {
      const count = reader.readOffsets(offsets, 0, first)
      terms[Buffer.from(reader.term.subarray(0, reader.termLength)).toString()] = [...offsets.subarray(0, count)]
    }
  }
  return terms
}

function openIndex() {
  const db = new Database(':memory:')
  onTestFinished(() => void db.close())
  db.exec(`
    create table meta (key text primary key, value text);
    create table events (id integer primary key, payload_removed_at);
    create table search_runs (id integer primary key, first, last, events, bytes);
    create table search_pages (id integer primary key, run, first_term, data);
    create unique index search_pages_term on search_pages (run, first_term)`)
  return db
}

function addRun(db: Database.Database, positions: readonly number[], pageBytes: number): void {
  const [first, last] = [positions[0] as number, positions.at(-1) as number]
  const { lastInsertRowid: id } = db
    .prepare('insert into search_runs (first, last, events) values (?, ?, ?)')
    .run(first, last, positions.length)
  for (const page of encoded(termsOf(positions), first, pageBytes))
    db.prepare('insert into search_pages (run, first_term, data) values (?, ?, ?)').run(id, firstTermOf(page), page)
}

/** Each page is where a lookup finds it. */
function contentOf(db: Database.Database, { id, first }: SearchRun): Terms {
  const pages = db
    .prepare<[number], { first_term: Buffer; data: Buffer }>(
      'select first_term, data from search_pages where run = ? order by first_term',
    )
    .all(id)
  for (const { first_term, data } of pages) expect(first_term.equals(firstTermOf(data))).toBe(true)
  return decoded(
    pages.map(({ data }) => data),
    first,
  )
}

it.each([1, 12, 20, 40, 400])(
  'a run has the terms of the events that are left, whichever are removed: pages of %i bytes',
  (pageBytes) => {
    for (const removed of SUBSETS) {
      const db = openIndex()
      addRun(db, POSITIONS, pageBytes)
      createSearchWriter(db).remove([...removed].reverse())
      const left = POSITIONS.filter((position) => !removed.includes(position))
      const found = listRuns(db).map((run) => [run.events, contentOf(db, run)])
      expect(found).toEqual(left.length === 0 ? [] : [[left.length, termsOf(left)]])
      db.close()
    }
  },
)

it('runs have together the terms of all events, however they are merged and cut', () => {
  for (const starts of SUBSETS.filter(([first]) => first === POSITIONS[0])) {
    const db = openIndex()
    for (const [at, start] of starts.entries())
      addRun(
        db,
        POSITIONS.filter((position) => position >= start && position < (starts[at + 1] ?? 99)),
        12,
      )
    for (const cuts of SUBSETS.filter(([first]) => first !== POSITIONS[0])) {
      const merged = inOnePart(mergeRuns(db, listRuns(db), cuts))
      const expected = [0, ...cuts].map((from, at) =>
        POSITIONS.filter((position) => position >= from && position < (cuts[at] ?? 99)),
      )
      expect(merged.map(({ pages, ...run }) => [run, decoded([...pagesOf(pages)], run.first)])).toEqual(
        expected.map((positions) => [
          { first: positions[0], last: positions.at(-1), events: positions.length },
          termsOf(positions),
        ]),
      )
    }
    db.close()
  }
})

it('two runs differ in the events that one of them has not, at every term, however they are cut into pages', () => {
  const named = (terms: Terms) =>
    Object.entries(terms).flatMap(([term, positions]) => positions.map((position) => `${term} ${position}`))
  for (const [n, some] of SUBSETS.entries())
    for (const others of SUBSETS.filter((_, at) => (at + n) % 27 === 0)) {
      if (some.length === 0 || others.length === 0) continue
      const [first, base] = [Math.min(some[0] as number, others[0] as number), others[0] as number]
      const [one, other] = [termsOf(some), termsOf(others)]
      const found = [
        ...differencesOf({
          stored: encoded(one, first, 12 + n),
          expected: encoded(other, base, 400),
          shift: base - first,
          span: 13,
        }),
      ]
      const [ofOne, ofOther] = [named(one), named(other)]
      const positions = (names: string[], besides: string[]) =>
        names.filter((name) => !besides.includes(name)).map((name) => Number(name.split(' ').at(-1)))
      const numeric = (from: number, to: number) => from - to
      for (const [isMissing, expected] of [
        [true, positions(ofOther, ofOne)],
        [false, positions(ofOne, ofOther)],
      ] as const) {
        const offsets = found
          .filter((difference) => difference.isMissing === isMissing)
          .map(({ offset }) => offset + first)
        expect(offsets.sort(numeric)).toEqual([...expected].sort(numeric))
      }
    }
})
