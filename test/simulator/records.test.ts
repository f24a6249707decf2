import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openRecords } from '../../src/simulator/records.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

function open(file: string | null = null) {
  const records = openRecords(file)
  onTestFinished(() => records.close())
  return records
}

it('records keep the order of their first put, and are replaced in place', () => {
  const bills = open().collection<{ valor: number }>('bills')
  bills.put('b', { valor: 1 })
  bills.put('a', { valor: 2 })
  bills.put('b', { valor: 3 })
  expect([bills.list(), bills.get('a'), bills.get('c')]).toEqual([
    [{ valor: 3 }, { valor: 2 }],
    { valor: 2 },
    undefined,
  ])
  expect([bills.delete('b'), bills.delete('b'), bills.list()]).toEqual([true, false, [{ valor: 2 }]])
})

it('a transaction that throws leaves no trace, neither of records nor of numbers', () => {
  const records = open()
  const bills = records.collection('bills')
  const fail = () =>
    records.transaction(() => {
      bills.put(records.nextNumber('bills'), {})
      throw new Error('undone')
    })
  expect(fail).toThrow('undone')
  expect([records.dump(), records.nextNumber('bills')]).toEqual([{}, 1])
})

it('what a transaction that throws has deleted is there again, also where a list was read in between', () => {
  const records = open()
  const bills = records.collection('bills')
  expect([bills.list(), bills.get(1)]).toEqual([[], undefined])
  bills.put(1, 'kept')
  const fail = () =>
    records.transaction(() => {
      bills.delete(1)
      throw new Error(`${bills.list().length} left`)
    })
  expect(fail).toThrow('0 left')
  expect([bills.list(), bills.get(1)]).toEqual([['kept'], 'kept'])
})

it('clear takes the collections with a prefix, and no other that looks like it', () => {
  const records = open()
  for (const name of ['sandbox.bills', 'sandbox%', 'production.bills']) records.collection(name).put(1, name)
  records.clear('sandbox.')
  expect(records.dump()).toEqual({ 'production.bills': { 1: 'production.bills' }, 'sandbox%': { 1: 'sandbox%' } })
})

it('a file keeps the records, and one that is no database is an error that says what to do', () => {
  const file = `${temporaryFolder()}/simulator.db`
  const first = openRecords(file)
  first.collection('bills').put(7, { valor: 1 })
  first.nextNumber('bills', 100)
  first.close()
  const second = open(file)
  expect([second.dump(), second.nextNumber('bills', 100)]).toEqual([{ bills: { 7: { valor: 1 } } }, 101])

  const damaged = `${temporaryFolder()}/simulator.db`
  writeFileSync(damaged, 'no database'.repeat(1000))
  expect(() => openRecords(damaged)).toThrow(/simulator\.db is no database of the simulator .* without --keep/)
})

it('the files of a database are readable by their owner only', () => {
  const file = join(temporaryFolder(), 'simulator.db')
  open(file).collection('openings').put('a', { clientSecret: 'secret' })
  expect(['', '-wal', '-shm'].map((end) => statSync(file + end).mode & 0o777)).toEqual([0o600, 0o600, 0o600])
})
