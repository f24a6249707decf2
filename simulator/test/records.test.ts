import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from './support/temporary-folder.ts'
import { openRecords } from '../src/records.ts'

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

it('a file of another version is one error, and stays', () => {
  const file = join(temporaryFolder(), 'simulator.db')
  open(file).close()
  const database = new Database(file)
  database.pragma('user_version = 0')
  database.close()
  const before = readFileSync(file)
  expect(() => openRecords(file)).toThrow(/version 0, and this simulator reads version 1.*Move the file away/)
  expect(readFileSync(file)).toEqual(before)
})

it('the files of a database are readable by their owner only', () => {
  const file = join(temporaryFolder(), 'simulator.db')
  open(file).collection('openings').put('a', { clientSecret: 'secret' })
  expect(['', '-wal', '-shm'].map((end) => statSync(file + end).mode & 0o777)).toEqual([0o600, 0o600, 0o600])
})

interface Steps {
  readonly inner: readonly Step[]
  readonly fails: boolean
}
type Step = Steps | { readonly key: string; readonly value: number | null }

const { steps } = fc.letrec<{ steps: Step[]; step: Step }>((tie) => ({
  steps: fc.array(tie('step'), { maxLength: 6 }),
  step: fc.oneof(
    { withCrossShrink: true, maxDepth: 3 },
    fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), value: fc.option(fc.nat(9)) }),
    fc.record({ inner: tie('steps'), fails: fc.boolean() }),
  ),
}))

/** Pairs of key and value in the order of a list. */
type Model = readonly (readonly [string, number])[]

function modelled(before: Model, step: Step): Model {
  if ('inner' in step) return step.fails ? before : step.inner.reduce(modelled, before)
  const { key, value } = step
  const others = before.filter(([known]) => known !== key)
  if (value === null) return others
  return others.length === before.length
    ? [...before, [key, value]]
    : before.map((pair) => (pair[0] === key ? [key, value] : pair))
}

it.each([
  ['in memory', 300, () => null],
  ['in a file, also after a restart', 15, () => join(temporaryFolder(), 'simulator.db')],
])('any changes in nested transactions leave the list that a list of pairs would be, %s', (_where, numRuns, fileOf) => {
  fc.assert(
    fc.property(steps, (all) => {
      const file = fileOf()
      const records = openRecords(file)
      const pairs = records.collection<[string, number]>('pairs')
      function carryOut(step: Step): void {
        if ('inner' in step) return carryOutAll(step)
        if (step.value === null) pairs.delete(step.key)
        else pairs.put(step.key, [step.key, step.value])
      }
      function carryOutAll({ inner, fails }: Steps): void {
        const changes = () =>
          records.transaction(() => {
            inner.forEach(carryOut)
            if (fails) throw new Error('undone')
          })
        if (fails) expect(changes).toThrow('undone')
        else changes()
      }
      all.forEach(carryOut)
      const expected = all.reduce(modelled, [])
      expect(pairs.list()).toEqual(expected)
      records.close()
      if (file === null) return
      const again = openRecords(file)
      expect(again.collection('pairs').list()).toEqual(expected)
      again.close()
    }),
    { numRuns },
  )
})
