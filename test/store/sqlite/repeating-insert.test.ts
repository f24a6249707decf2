import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { prepareRepeatingInsert } from '../../../src/store/sqlite/events/repeating-insert.ts'

/** More rows than a statement of their own takes. */
const MANY = 70

/** Strict as the tables of callbacks. `prepared`: the texts of all statements. */
function opened() {
  const db = new Database(':memory:')
  onTestFinished(() => void db.close())
  db.exec('create table victims (a); insert into victims values (1)')
  for (const table of ['found', 'expected'])
    db.exec(`create table ${table} (id integer primary key, text text, number integer) strict`)
  const prepared: string[] = []
  const watched = new Proxy(db, {
    get(target, name) {
      if (name !== 'prepare') return Reflect.get(target, name)
      return (sql: string) => {
        prepared.push(sql)
        return target.prepare(sql)
      }
    },
  })
  const columns = { table: 'found', repeated: ['text', 'number'], own: ['id'] }
  const bind = db.prepare('insert into expected (id, text, number) values (?, ?, ?)')
  const find = prepareRepeatingInsert(watched, columns)
  let id = 0
  /** In both tables: as it is under test, and with bound values. */
  function insert(text: string | null, number: number | null): void {
    find([text, number]).run(++id)
    bind.run(id, text, number)
  }
  const rows = (table: string) =>
    db.prepare(`select id, typeof(text), hex(text), typeof(number), number from ${table} order by id`).raw().all()
  const quoted = () => prepared.filter((sql) => sql.startsWith('insert') && !sql.endsWith('values (?, ?, ?)'))
  return { db, insert, rows, quoted }
}

const HOSTILE = [
  "'",
  "''",
  "'); delete from victims; --",
  "x', (select max(a) from victims)); --",
  "'||(select 1)||'",
  '"',
  '`',
  '[a]',
  '?',
  '?1',
  ':id',
  '@id',
  '$id',
  '\\',
  "\\'",
  '--',
  '/*',
  ';',
  '',
  ' ',
  'null',
  '1',
  '1.0',
  "x'00'",
  'a\nb\r\t\v\f\x1b\x7f',
  'a\u0000b',
  "a\u0000', 1); delete from victims; --",
  '\u0000',
  '\ud800',
  "\udc00'",
  '\ufeffa',
  '\uffff',
  'ação 😀 ‮',
  "'".repeat(3000),
  'x'.repeat(20_000),
]

it('every value is stored as if it were bound, however often it repeats', () => {
  const { db, insert, rows, quoted } = opened()
  for (const text of HOSTILE) for (let n = 0; n < MANY; n++) insert(text, 1)

  expect(rows('found')).toEqual(rows('expected'))
  expect(db.prepare('select count(*) from victims').pluck().get()).toBe(1)
  // All but the five with a NUL or half a surrogate pair, and the two that are too long.
  expect(quoted()).toHaveLength(HOSTILE.length - 7)
})

it('numbers and null keep their types', () => {
  const { insert, rows, quoted } = opened()
  for (const number of [0, 1, -1, 2 ** 40, Number.MAX_SAFE_INTEGER, null])
    for (let n = 0; n < MANY; n++) insert(number === 1 ? null : '1', number)
  expect(rows('found')).toEqual(rows('expected'))
  expect(quoted()).toHaveLength(6)
})

it('a row never gets the values of another one, in whatever order they come', () => {
  const { insert, rows, quoted } = opened()
  const values = Array.from({ length: 50 }, (_, n) => [`text ${n % 25}`, n % 2] as const)
  let random = 1
  for (let n = 0; n < 20_000; n++) {
    random = (random * 48_271) % 2_147_483_647
    // Small ones come most often.
    const [text, number] = values[Math.floor((random / 2_147_483_647) ** 2 * values.length)] as (typeof values)[number]
    insert(text, number)
  }
  expect(rows('found')).toEqual(rows('expected'))
  expect(quoted().length).toBeGreaterThan(5)
})

it('values that seldom repeat make no statement', () => {
  const { insert, rows, quoted } = opened()
  for (let n = 0; n < 5000; n++) insert(`text ${n % 100}`, n)
  for (let n = 0; n < 63; n++) insert('almost', 1)
  expect(quoted()).toEqual([])
  insert('almost', 1)
  expect(quoted()).toEqual(["insert into found (id, text, number) values (?, 'almost', 1.0)"])
  expect(rows('found')).toEqual(rows('expected'))
})

it('values that were not used for long are forgotten: statements are bounded', () => {
  const { insert, quoted } = opened()
  const fill = (count: number) => {
    for (let text = 0; text < count; text++) for (let n = 0; n < MANY; n++) insert(`text ${text}`, 1)
  }
  fill(33)
  expect(quoted()).toHaveLength(33)
  // The first one was dropped, and is made again.
  fill(1)
  expect(quoted()).toHaveLength(34)
})
