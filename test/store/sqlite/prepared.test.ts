import Database from 'better-sqlite3'
import { expect, it, onTestFinished, vi } from 'vitest'
import { migrate } from '../../../src/store/sqlite/database/migrations.ts'
import { oncePerConnection, prepareOnce } from '../../../src/store/sqlite/database/prepared.ts'
import { listEvents } from '../../../src/store/sqlite/events/event-queries.ts'

function aConnection() {
  const db = new Database(':memory:')
  onTestFinished(() => void db.close())
  return db
}

it('a connection gets its own, made once', () => {
  const one = aConnection()
  const make = vi.fn((db: Database.Database) => ({ db }))
  const of = oncePerConnection(make)
  expect(of(one)).toBe(of(one))
  expect(of(aConnection()).db).not.toBe(one)
  expect(make).toHaveBeenCalledTimes(2)
})

it('of texts, a connection remembers the latest 32', () => {
  const db = aConnection()
  const prepared = vi.spyOn(db, 'prepare')
  const numbers = Array.from({ length: 32 }, (_, n) => n)
  const select = (n: number) => prepareOnce<[], number>(db, `select ${n}`).pluck().get()
  expect(numbers.map(select)).toEqual(numbers)
  expect(numbers.map(select)).toEqual(numbers)
  expect(prepared).toHaveBeenCalledTimes(32)
  // The one in the place of 1, because 0 was used after it.
  select(0)
  select(32)
  select(0)
  expect(prepared).toHaveBeenCalledTimes(33)
  select(1)
  expect(prepared).toHaveBeenCalledTimes(34)
})

it.each([{}, { subject: 's1' }, { subject: 's1', newestFirst: true }])(
  'a second page by %j prepares nothing',
  (filter) => {
    const db = aConnection()
    migrate(db)
    const page = () => listEvents(db, filter, 10)
    page()
    const prepared = vi.spyOn(db, 'prepare')
    expect(page()).toMatchObject({ events: [], more: false })
    expect(prepared).not.toHaveBeenCalled()
  },
)
