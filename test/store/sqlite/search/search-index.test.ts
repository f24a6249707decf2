import { expect, it, onTestFinished } from 'vitest'
import { parseSearch } from '../../../../src/domain/search/search-query.ts'
import { openForReading } from '../../../../src/store/sqlite/database/connection.ts'
import { findMergeable } from '../../../../src/store/sqlite/search/merge-runs.ts'
import { searchEvents } from '../../../../src/store/sqlite/search/search-events.ts'
import { aCallback, aDestination, aFact, NOON } from '../../../support/builders.ts'
import { indexAll, searchAll } from '../../../support/search.ts'
import { openTestStore, temporaryDatabase } from '../../../support/store.ts'
import { runOnSqlite } from '../../contract/on-sqlite.ts'
import { describeSearch } from '../../contract/search-contract.ts'
import { describeSearchModel } from '../../contract/search-model-contract.ts'

runOnSqlite([describeSearch, describeSearchModel])

it('reads are answered while a change of the index is computed, and closing the store does not wait for it', async () => {
  const store = await openTestStore()
  const text = JSON.stringify(Array.from({ length: 300 }, (_, n) => `word${n} ${n ** 9}`))
  await Promise.all(Array.from({ length: 200 }, () => store.storeCallback(aCallback({ text }))))
  const answered: string[] = []
  const compute = () => store.prepareSearchChange('index', { limit: 1000 })

  const computed = compute().then(() => answered.push('change'))
  for (let n = 0; n < 3; n++) await store.latestPosition().then(() => answered.push('read'))
  await computed
  expect(answered).toEqual(['read', 'read', 'read', 'change'])

  const refused = expect(compute()).rejects.toMatchObject({ code: 'store_unavailable' })
  await store.close()
  await refused
  await expect(compute()).rejects.toMatchObject({ code: 'store_unavailable' })
})

it('a search that takes longer than its slice gives what it has, and the next one continues there', async () => {
  const file = temporaryDatabase()
  const store = await openTestStore({ file })
  await store.createDestination(aDestination({ subjects: { exact: ['rare'], prefix: [] } }), NOON)
  for (let n = 1; n <= 60; n++) {
    await store.storeCallback(
      aCallback({ text: `{"nome":"Ana","n":${n}}`, facts: [aFact({ subject: n < 5 ? 'rare' : 'common' })] }),
    )
    if (n % 20 === 0) await indexAll(store, ['index'])
  }
  const db = openForReading(file)
  onTestFinished(() => void db.close())
  let clock = 0
  const elapsed = () => {
    clock += 20
    return clock
  }
  const search = parseSearch('ana')
  const pages: { found: number[]; next: number }[] = []
  for (let before = 61, more = true; more; ) {
    const page = searchEvents(
      db,
      { search, newestFirst: true, delivery: { destination: 'books' }, before },
      10,
      elapsed,
    )
    pages.push({ found: page.events.map(({ position }) => position), next: page.next })
    ;({ more, next: before } = page)
  }
  expect(pages.flatMap(({ found }) => found)).toEqual([4, 3, 2, 1])
  expect(pages.length).toBeGreaterThan(2)
  expect(pages.map(({ next }) => next)).toEqual([...pages.map(({ next }) => next)].sort((a, b) => b - a))

  // Only events of the subject are visited: a look at the clock every 16 of them would come after three runs of 20 otherwise.
  let looks = 0
  const still = () => {
    looks++
    return 0
  }
  const { events } = searchEvents(db, { search, newestFirst: true, subject: 'rare' }, 10, still)
  expect([events.map(({ position }) => position), looks]).toEqual([[4, 3, 2, 1], 3])
})

it('merges neighbours of a size when there are eight, and never across the border of what is made again', () => {
  const runs = (...sizes: number[]) => {
    let last = 0
    return sizes.map((events, id) => {
      const first = last + 1
      last += events
      return { id, first, last, events }
    })
  }
  const merged = (sizes: number[], border = 0) => findMergeable(runs(...sizes), border)?.map(({ id }) => id) ?? null
  expect(merged([1, 1, 1])).toBeNull()
  expect(merged([4096, ...Array(8).fill(1)])).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  expect(merged([...Array(7).fill(70), 1])).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  expect(merged([1024, 1024, 1024, 1024])).toEqual([0, 1, 2, 3])
  expect(merged([3072, 4095, 8192, 2])).toBeNull()
  expect(merged([2400, 2400, 1])).toEqual([0, 1])
  expect(merged(Array(8).fill(1), 4)).toBeNull()
})

it('a period bounds the positions that a search visits', async () => {
  const store = await openTestStore()
  for (let n = 0; n < 40; n++)
    await store.storeCallback(aCallback({ text: `{"nome":"Ana","n":${n}}`, receivedAt: NOON + n, facts: [aFact()] }))
  await indexAll(store)
  const found = await searchAll(store, 'ana', { receivedFrom: NOON + 10, receivedTo: NOON + 13 })
  expect(found.map(({ position }) => position)).toEqual([13, 12, 11])
})
