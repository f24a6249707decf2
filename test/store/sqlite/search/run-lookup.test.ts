import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { firstTermOf, pagesOf, RunWriter } from '../../../../src/store/sqlite/search/run-format.ts'
import { RunLookup } from '../../../../src/store/sqlite/search/run-lookup.ts'

/** In the order of their bytes; many begin alike. Each is the term of one event. */
const TERMS = [
  ...new Set(Array.from({ length: 120 }, (_, n) => String((n * n * 7919) % 4000)).concat('ana', 'anabela', 'é')),
].sort()
const SOUGHT = [
  ...new Set(TERMS.flatMap((term) => Array.from(term, (_, at) => term.slice(0, at + 1)))),
  '0',
  '99999',
  'an!',
  'zz',
]
const RUN = { id: 1, first: 1, last: TERMS.length, events: TERMS.length }

/** The terms in pages of this length. */
function pagedRun(pageBytes: number) {
  const writer = new RunWriter(pageBytes)
  writer.add(new Uint8Array(), 0, Array.from(TERMS.keys()), TERMS.length)
  for (const [offset, term] of TERMS.entries()) {
    const bytes = Buffer.from(term)
    writer.add(bytes, bytes.length, [offset], 1)
  }
  const db = new Database(':memory:')
  db.exec('create table search_pages (id integer primary key, run, first_term, data)')
  const insert = db.prepare('insert into search_pages (run, first_term, data) values (1, ?, ?)')
  const pages = [...pagesOf(writer.end())]
  for (const page of pages) insert.run(firstTermOf(page), page)
  return { db, pages: pages.length }
}

it.each([1, 10, 11, 12, 13, 14, 15, 20, 30, 50, 100, 400])(
  'finds the same terms wherever a page of %i bytes ends',
  (pageBytes) => {
    const { db, pages } = pagedRun(pageBytes)
    expect(pages).toBeGreaterThan(1)
    for (const isPrefix of [true, false]) {
      const matching = (text: string) => TERMS.filter((term) => (isPrefix ? term.startsWith(text) : term === text))
      const found = (text: string) =>
        new RunLookup(db, [[[{ text, isPrefix }]]])
          .positions(RUN, RUN.first, RUN.last)
          .reverse()
          .map((position) => TERMS[position - 1])
      for (const text of SOUGHT) expect(found(text), `${text}, as a prefix: ${isPrefix}`).toEqual(matching(text))
    }
    db.close()
  },
)
