import { expect, it, onTestFinished } from 'vitest'
import type { Store } from '../../src/domain/store.ts'
import { startInactivityAlarm } from '../../src/jobs/inactivity-alarm.ts'
import { startNotificationResolver } from '../../src/jobs/notification-resolver.ts'
import { createReplayRunner } from '../../src/jobs/replay-runner.ts'
import { createRetentionRunner } from '../../src/jobs/retention-runner.ts'
import { createSearchIndexer } from '../../src/jobs/search-indexer.ts'
import { aCallback, aDestination, NOON } from '../support/builders.ts'
import { recordingLog } from '../support/gateway.ts'
import { openTestStore } from '../support/store.ts'
import { until } from '../support/until.ts'

const DAY = 86_400_000
const log = recordingLog([])
const now = () => NOON

/** A job that is another node's at first; what it asks the store for is noted. */
async function anothersJob() {
  const store = await openTestStore()
  const asked: string[] = []
  const noted = new Proxy(store, {
    get(target, method: keyof Store) {
      if (typeof target[method] === 'function') asked.push(method)
      return target[method]
    },
  })
  const lease = { isMine: false }
  return { store, noted, asked, lease, isMine: () => lease.isMine }
}

it('retention removes nothing before the job is its own, except for an operator', async () => {
  const { store, noted, lease, isMine } = await anothersJob()
  const retention = { payloadMs: DAY, metadataMs: 30 * DAY, kinds: {} }
  const runner = createRetentionRunner({ store: noted, retention, wake: () => undefined, now, isMine, log })
  onTestFinished(runner.stop)
  const hasData = async () => (await store.listEvents({}, 1)).events[0]?.payloadRemovedAt === null
  const old = { receivedAt: NOON - 2 * DAY }
  await store.storeCallback(aCallback(old))
  runner.start()
  expect([runner.progress(), await hasData()]).toEqual([null, true])
  lease.isMine = true
  runner.start()
  await until(() => runner.progress()?.state === 'done')
  expect(await hasData()).toBe(false)

  lease.isMine = false
  await store.storeCallback(aCallback({ ...old, text: '{"n":2}' }))
  runner.prune()
  await until(() => runner.progress()?.state === 'done')
  expect((await store.listEvents({}, 2)).events.map(({ payloadRemovedAt }) => payloadRemovedAt)).not.toContain(null)
})

it('retention stops where it loses the job', async () => {
  const { store, lease, isMine } = await anothersJob()
  await store.storeCallback(aCallback({ receivedAt: NOON - 2 * DAY }))
  lease.isMine = true
  const losing = {
    ...store,
    findRemovable(...args: Parameters<Store['findRemovable']>) {
      lease.isMine = false
      return store.findRemovable(...args)
    },
  }
  const retention = { payloadMs: DAY, metadataMs: 30 * DAY, kinds: {} }
  const runner = createRetentionRunner({ store: losing, retention, wake: () => undefined, now, isMine, log })
  onTestFinished(runner.stop)
  runner.start()
  await until(() => runner.progress()?.state === 'stopped')
  expect((await store.listEvents({}, 1)).events[0]?.payloadRemovedAt).toBeNull()
})

it('replays advance on the node alone whose job they are', async () => {
  const { store, noted, asked, lease, isMine } = await anothersJob()
  const runner = createReplayRunner({ store: noted, wake: () => undefined, now, isMine, log })
  onTestFinished(runner.stop)
  await store.storeCallback(aCallback())
  const { id: destinationId } = await store.createDestination(aDestination(), NOON)
  const wish = { destinationId, mode: 'all' as const, filter: {}, owner: null, matched: 1, leftOut: 0, upTo: 1 }
  const { replayId } = await store.createReplay(wish, NOON)
  runner.start()
  await new Promise(setImmediate)
  expect(asked).toEqual([])
  lease.isMine = true
  runner.start()
  await until(async () => (await store.getReplay(replayId))?.state === 'done')
})

it('the search index is filled by the node alone whose job it is', async () => {
  const { store, noted, asked, lease, isMine } = await anothersJob()
  await store.storeCallback(aCallback())
  const kinds = [{ institution: null, name: 'payment', search: { exclude: [] } }]
  const indexer = createSearchIndexer({ store: noted, kinds, now, isMine, log })
  onTestFinished(indexer.stop)
  indexer.start()
  await new Promise(setImmediate)
  expect(asked).toEqual([])
  lease.isMine = true
  indexer.wake()
  await until(async () => (await store.readSearchState(NOON)).lagEvents === 0)
})

it('tokens are asked for by the node alone whose job they are', async () => {
  const { noted, asked, lease, isMine } = await anothersJob()
  const resolver = startNotificationResolver({
    store: noted,
    realms: ['sandbox'],
    kinds: [],
    settingsOf: () => ({ client: { dailyBudget: null }, resolveWithinMs: DAY }),
    onSettled: () => undefined,
    fetchEntries: async () => ({ entries: [] }),
    now,
    isMine,
    random: () => 0.5,
    log,
  })
  onTestFinished(resolver.stop)
  resolver.wake()
  await new Promise(setImmediate)
  expect(asked).toEqual([])
  lease.isMine = true
  resolver.wake()
  await until(() => asked.includes('listWaitingTokens'))
})

it('a silence is raised by the node alone whose job it is, and not where another node got callbacks', async () => {
  const { store, lease, isMine } = await anothersJob()
  const clock = { now: NOON }
  const alarm = await startInactivityAlarm({
    rules: [{ kind: 'payment', environment: 'production', alertAfterMs: DAY }],
    store,
    onRaised: () => undefined,
    now: () => clock.now,
    isMine,
    log,
    intervalMs: DAY,
  })
  onTestFinished(alarm.stop)
  const raised = async () => (await store.listEvents({ kinds: ['operator'] }, 10)).events.length
  clock.now += 2 * DAY
  await alarm.check()
  expect([await raised(), alarm.kinds()[0]?.isInactive]).toEqual([0, true])
  lease.isMine = true
  await store.storeCallback(aCallback({ receivedAt: clock.now - 1000 }))
  await alarm.check()
  expect([await raised(), alarm.kinds()[0]?.isInactive]).toEqual([0, false])
  clock.now += 2 * DAY
  await alarm.check()
  expect(await raised()).toBe(1)
})
