import { expect, it, onTestFinished } from 'vitest'
import type { KindRule } from '../../src/domain/kinds.ts'
import type { Store } from '../../src/domain/store.ts'
import { createSearchIndexer, type IndexerPace } from '../../src/jobs/search-indexer.ts'
import { PortariaError } from '../../src/platform/errors.ts'
import { aCallback, NOON } from '../support/builders.ts'
import { type LogLine, recordingLog } from '../support/gateway.ts'
import { searchAll } from '../support/search.ts'
import { openTestStore, temporaryDatabase } from '../support/store.ts'
import { until } from '../support/until.ts'

const KINDS: Pick<KindRule, 'institution' | 'name' | 'search'>[] = [
  { institution: null, name: 'payment', search: { exclude: [] } },
]

/** Waits for nothing, but for a wake where it has nothing to do. */
const FAST: IndexerPace = {
  elapsed: () => 0,
  rest(ms, signal) {
    if (ms < 1000 || signal.aborted) return Promise.resolve()
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
  },
}

function start(
  store: Store,
  { kinds = KINDS, pace = FAST, ...changes }: Partial<Store> & { kinds?: typeof KINDS; pace?: IndexerPace } = {},
) {
  const lines: LogLine[] = []
  const log = recordingLog(lines)
  const indexer = createSearchIndexer({ store: { ...store, ...changes }, kinds, now: () => NOON, log, pace })
  indexer.start()
  onTestFinished(indexer.stop)
  const indexed = () => until(indexer.state, ({ lagEvents, isRebuilding }) => lagEvents === 0 && !isRebuilding)
  return { indexer, lines, indexed }
}

const textsOf = async (store: Store, text: string) =>
  (await searchAll(store, text)).map(({ body }) => Buffer.from(body).toString())

it('indexes events that were there, and each that comes after a wake', async () => {
  const store = await openTestStore()
  await store.storeCallback(aCallback({ text: '{"name":"Ana Lúcia","n":1}' }))
  const { indexer, indexed } = start(store)
  await indexed()
  expect(await textsOf(store, 'lucia')).toEqual(['{"name":"Ana Lúcia","n":1}'])
  await store.storeCallback(aCallback({ text: '{"name":"Ana","n":2}' }))
  indexer.wake()
  await indexed()
  expect(await textsOf(store, 'ana')).toEqual(['{"name":"Ana","n":2}', '{"name":"Ana Lúcia","n":1}'])
  expect(await indexer.state()).toEqual({
    indexedThrough: 2,
    latest: 2,
    lagEvents: 0,
    lagSeconds: 0,
    isRebuilding: false,
    rebuiltThrough: null,
    problem: null,
    indexBytes: expect.any(Number),
  })
})

it('continues after a restart where it was, and makes everything again for changed settings of a kind', async () => {
  const file = temporaryDatabase()
  const store = await openTestStore({ file })
  await store.storeCallback(aCallback({ text: '{"name":"Ana","senha":"segredo"}' }))
  const first = start(store)
  await first.indexed()
  await first.indexer.stop()
  await store.storeCallback(aCallback({ text: '{"name":"Eva","senha":"segredo"}' }))
  expect(await store.readSearchState(NOON)).toMatchObject({ indexedThrough: 1, lagEvents: 1 })

  const second = start(store, { kinds: [{ institution: null, name: 'payment', search: { exclude: ['/senha'] } }] })
  await second.indexed()
  expect(await textsOf(store, 'segredo')).toEqual([])
  expect(await textsOf(store, 'ana')).toHaveLength(1)
  expect(second.lines.map(({ event }) => event)).toContain('search.settings_changed')
  await second.indexer.stop()

  const third = start(store, { kinds: [{ institution: null, name: 'payment', search: null }] })
  await until(
    () => third.lines,
    (lines) => lines.some(({ event }) => event === 'search.rebuilt'),
  )
  expect(await textsOf(store, 'eva')).toEqual([])
})

it('a wake that comes after the last look for events, and before the end of the work, is not lost', async () => {
  const store = await openTestStore()
  let looks = 0
  const { indexer } = start(store, {
    async workOnSearch(task, bounds) {
      const events = await store.workOnSearch(task, bounds)
      if (task === 'index' && ++looks === 1) {
        await store.storeCallback(aCallback({ text: '{"name":"Ana"}' }))
        indexer.wake()
      }
      return events
    },
  })
  await until(indexer.state, ({ latest, lagEvents }) => latest === 1 && lagEvents === 0)
  expect(await textsOf(store, 'ana')).toHaveLength(1)
})

it('says once that it is delayed, and goes on when the store does', async () => {
  const store = await openTestStore()
  await store.storeCallback(aCallback({ text: '{"name":"Ana"}' }))
  let failures = 3
  const { lines, indexed } = start(store, {
    pace: { ...FAST, rest: () => new Promise((resolve) => setImmediate(resolve)) },
    async workOnSearch(...args) {
      if (failures-- > 0) throw new PortariaError('store_unavailable', 'no disk')
      return store.workOnSearch(...args)
    },
  })
  await indexed()
  await until(
    () => lines,
    (all) => all.some(({ event }) => event === 'search.resumed'),
  )
  expect(lines.map(({ event }) => event)).toEqual(['search.delayed', 'search.resumed'])
})

it('uses a twenty-fifth of the time while callbacks wait for the disk, and more of it otherwise', async () => {
  const store = await openTestStore()
  const rests: number[] = []
  let [clock, waitingEvents] = [0, 5]
  const pace: IndexerPace = {
    elapsed() {
      clock += 5
      return clock
    },
    async rest(ms, signal) {
      if (ms >= 1000) return FAST.rest(ms, signal)
      rests.push(ms)
    },
  }
  const pulse = () => ({ waitingEvents, waitingBytes: 0, silentMs: 0 })
  await store.storeCallback(aCallback({ text: '{"name":"Ana"}' }))
  const { indexer, indexed } = start(store, { pace, pulse })
  // A reader sees what was indexed before the indexer knows of it.
  await until(() => rests.map(Math.round).includes(120))
  waitingEvents = 0
  rests.length = 0
  await store.storeCallback(aCallback({ text: '{"name":"Eva"}' }))
  indexer.wake()
  await indexed()
  await indexer.stop()
  expect(rests.map(Math.round)).not.toContain(120)
})

it('rests a second longer than callbacks come: after a slow step, a search would miss events for many seconds', async () => {
  const store = await openTestStore()
  const rests: number[] = []
  let [clock, waitingEvents] = [0, 5]
  const pace: IndexerPace = {
    elapsed() {
      clock += 1000
      return clock
    },
    async rest(ms, signal) {
      if (ms >= 1000) return FAST.rest(ms, signal)
      rests.push(ms)
      if (rests.length === 3) waitingEvents = 0
    },
  }
  const pulse = () => ({ waitingEvents, waitingBytes: 0, silentMs: 0 })
  await store.storeCallback(aCallback({ text: '{"name":"Ana"}' }))
  const { indexer, indexed } = start(store, { pace, pulse })
  await until(() => rests.length >= 6)
  await indexed()
  await indexer.stop()
  // A second of work while callbacks wait for the disk: 24 s of rest.
  expect(rests).toEqual(Array(6).fill(250))
})

it.each([
  ['four times as long as the step took', 500, false, 2000],
  ['much longer for a second where one has waited for the disk', 1000, true, 4 * 250 + 4 * (1000 - (4 * 250) / 24)],
])('rests as long as callbacks come: %s', async (_title, stepMs, hasWaited, restMs) => {
  const store = await openTestStore()
  let [clock, rested] = [0, 0]
  let restedBeforeMerge: number | null = null
  const pace: IndexerPace = {
    elapsed() {
      clock += stepMs
      return clock
    },
    async rest(ms, signal) {
      if (ms > 250) return FAST.rest(ms, signal)
      rested += ms
      if (restedBeforeMerge === null) indexer.wake()
    },
  }
  const pulse = () => ({ waitingEvents: hasWaited && rested === 0 ? 1 : 0, waitingBytes: 0, silentMs: 0 })
  const workOnSearch: Store['workOnSearch'] = async (task, options) => {
    if (task === 'merge') restedBeforeMerge ??= rested
    else if (restedBeforeMerge === null) indexer.wake()
    return store.workOnSearch(task, options)
  }
  await store.storeCallback(aCallback({ text: '{"name":"Ana"}' }))
  const { indexer } = start(store, { pace, workOnSearch, pulse })
  await until(() => restedBeforeMerge !== null)
  expect(restedBeforeMerge).toBeCloseTo(restMs)
})
