import Database from 'better-sqlite3'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type Asked, all, one, run } from '../../../src/store/sql/asked.ts'
import type { Dialect } from '../../../src/store/sql/dialect.ts'
import { ask, askInOneState } from '../../../src/store/sqlite/database/ask.ts'

function aConnection() {
  const db = new Database(':memory:')
  onTestFinished(() => void db.close())
  db.exec('create table notes (id integer primary key, text text, is_read integer)')
  return db
}

function* note(_: Dialect, text: string | undefined, isRead: boolean): Asked<number> {
  yield* run('insert into notes (text, is_read) values (:text, :isRead)', { text, isRead })
  return (yield* one<{ n: number }>('select count(*) as n from notes')).n
}

function* listed(d: Dialect, texts: readonly string[]): Asked<unknown[]> {
  return yield* all(
    `select text, is_read from notes where text in (select value from ${d.texts(':texts')}) order by id`,
    {
      texts,
    },
  )
}

it('statements are part of the transaction of their caller, and are undone with it', () => {
  const db = aConnection()
  const group = db.transaction((texts: readonly string[], isBroken: boolean) => {
    const counts = texts.map((text) => ask(db, note, text, true))
    if (isBroken) throw new Error('another call of the group has failed')
    return counts
  })
  expect(group(['a', 'b'], false)).toEqual([1, 2])
  expect(() => group(['c'], true)).toThrow('another call')
  expect(askInOneState(db, listed, ['c', 'b', 'a'])).toEqual([
    { text: 'a', is_read: 1 },
    { text: 'b', is_read: 1 },
  ])
})

it('a value that is left out is null, and a text is prepared once', () => {
  const db = aConnection()
  const prepared = vi.spyOn(db, 'prepare')
  ask(db, note, undefined, false)
  ask(db, note, undefined, false)
  expect(prepared).toHaveBeenCalledTimes(2)
  expect(db.prepare('select distinct text, is_read from notes').all()).toEqual([{ text: null, is_read: 0 }])
})
