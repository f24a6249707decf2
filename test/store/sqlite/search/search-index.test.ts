import { expect, it, onTestFinished } from 'vitest'
import { parseSearch } from '../../../../src/domain/search/search-query.ts'
import { openForReading } from '../../../../src/store/sqlite/database/connection.ts'
import { findMergeable } from '../../../../src/store/sqlite/search/merge-runs.ts'
import { searchEvents } from '../../../../src/store/sqlite/search/search-events.ts'
import { aCallback, aDestination, aFact, NOON } from '../../../support/builders.ts'
import { indexAll, searchAll } from '../../../support/search.ts'
import { openTestStore, temporaryDatabase } from '../../../support/store.ts'
import { HostedThread } from '../../../support/threads/worker-threads.ts'
import { runOnSqlite } from '../../contract/on-sqlite.ts'
import { describeSearch } from '../../contract/search-contract.ts'
import { describeSearchModel } from '../../contract/search-model-contract.ts'

runOnSqlite([describeSearch, describeSearchModel])

it('when the thread of the index dies, the change under way fails, and the next one starts another', async () => {
  const started: HostedThread[] = []
  const add = (worker: object) => void (worker instanceof HostedThread && started.push(worker))
  process.on('worker', add)
  onTestFinished(() => void process.off('worker', add))
  const lost: Error[] = []
  const store = await openTestStore({ onReaderLost: (error) => lost.push(error) })
  await store.storeCallback(aCallback({ text: '{"nome":"Ana"}' }))
  await indexAll(store, ['merge'])
  expect(started).toHaveLength(3)
  await started[2]?.terminate()
  const failed = store.prepareSearchChange('index', { limit: 10 })
  await failed.catch(() => undefined)
  await indexAll(store)
  expect(await searchAll(store, 'ana')).toHaveLength(1)
  expect(lost).toEqual([])
  await store.close()
  await expect(store.prepareSearchChange('index', { limit: 10 })).rejects.toMatchObject({ code: 'store_unavailable' })
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
