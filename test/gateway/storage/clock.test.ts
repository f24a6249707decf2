import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Store } from '../../../src/domain/store.ts'
import { startClockGuard } from '../../../src/jobs/clock-guard.ts'
import { createRetentionRunner } from '../../../src/jobs/retention-runner.ts'
import { aCallback, aDestination, NOON } from '../../support/builders.ts'
import { type LogLine, recordingLog } from '../../support/gateway.ts'
import { openTestStore } from '../../support/store.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const DAY = 86_400_000

function openAt(folder: string): Promise<Store> {
  return openTestStore({ file: join(folder, 'portaria.db') })
}

/** A guard over two clocks that the test moves. */
async function startGuard(store: Store, at = NOON) {
  const clocks = { wall: at, monotonic: 0 }
  const lines: LogLine[] = []
  const guard = await startClockGuard({
    store,
    now: () => clocks.wall,
    monotonic: () => clocks.monotonic,
    log: recordingLog(lines),
    intervalMs: 10_000_000,
  })
  onTestFinished(() => guard.stop())
  return { guard, clocks, lines, events: () => lines.map(({ level, event }) => `${level} ${event}`) }
}

async function storeWithCallback(receivedAt = NOON): Promise<{ folder: string; store: Store }> {
  const folder = temporaryFolder()
  const store = await openAt(folder)
  await store.storeCallback(aCallback({ receivedAt }))
  return { folder, store }
}

it('what has stored the time is reported; what could not be stored is not', async () => {
  const store = await openAt(temporaryFolder())
  let [tried, told] = [0, 0]
  const recordClock = async () => {
    if (++tried > 2) throw new Error('no space')
  }
  const guard = await startClockGuard({
    now: () => NOON,
    log: recordingLog([]),
    intervalMs: 5,
    store: { readClock: store.readClock, recordClock },
    onRecorded: () => told++,
  })
  onTestFinished(() => guard.stop())
  await until(() => tried > 3)
  await expect(guard.confirm()).rejects.toThrow('no space')
  expect(told).toBe(2)
})

describe('a start', () => {
  it('of a new database believes any clock', async () => {
    const { guard } = await startGuard(await openAt(temporaryFolder()), NOON + 4000 * DAY)
    expect(guard.state()).toEqual({ isPlausible: true, problem: null })
  })

  it.each([
    [6.9, true],
    [7.1, false],
  ])('%f days after the newest callback: plausible is %s', async (days, isPlausible) => {
    const { store } = await storeWithCallback()
    const { guard } = await startGuard(store, NOON + days * DAY)
    expect(guard.state().isPlausible).toBe(isPlausible)
  })

  it('goes by the heartbeat where no callback came for long', async () => {
    const { store } = await storeWithCallback(NOON - 100 * DAY)
    await store.recordClock({ heartbeatAt: NOON - 3 * DAY })
    expect((await startGuard(store)).guard.state().isPlausible).toBe(true)
  })

  it('with a clock a year ahead says so once, and what comes meanwhile does not make that clock plausible', async () => {
    const { store } = await storeWithCallback()
    const first = await startGuard(store, NOON + 365 * DAY)
    first.guard.state()
    expect(first.events()).toEqual(['error clock.implausible'])
    expect(first.guard.state().problem).toMatch(/365 days after .*2026-01-15.*portaria storage confirm-clock/)
    await store.storeCallback(aCallback({ receivedAt: NOON + 365 * DAY, text: '{"n":2}' }))
    const again = await startGuard(store, NOON + 366 * DAY)
    expect(again.guard.state().isPlausible).toBe(false)
    expect((await startGuard(store, NOON + DAY)).guard.state().isPlausible).toBe(true)
  })
})

it('after a clock that was ahead is set back, the callbacks received meanwhile do not make the right time look too early at the next start', async () => {
  const { store } = await storeWithCallback()
  const { guard, clocks } = await startGuard(store)
  clocks.wall += 400 * DAY
  await store.storeCallback(aCallback({ receivedAt: guard.time(), text: '{"n":2}' }))
  clocks.wall = NOON + DAY
  expect(guard.state().isPlausible).toBe(true)
  await until(async () => (await store.readClock()).heartbeatAt === NOON + DAY)

  const next = await startGuard(store, NOON + 2 * DAY)
  expect(next.guard.time()).toBe(NOON + 2 * DAY)
  expect(next.events()).toEqual([])
})

describe('while it runs', () => {
  it('a clock that moves ahead by more than a day against the monotonic clock is implausible until it is set back', async () => {
    const { guard, clocks, events } = await startGuard(await openAt(temporaryFolder()))
    clocks.monotonic += 20 * DAY
    clocks.wall += 20.5 * DAY
    expect(guard.state().isPlausible).toBe(true)
    clocks.wall += 40 * DAY
    expect(guard.state().isPlausible).toBe(false)
    clocks.wall -= 40 * DAY
    expect(guard.state().isPlausible).toBe(true)
    expect(events()).toEqual(['error clock.implausible', 'info clock.plausible'])
  })

  it('a clock that moves ahead by two days stays implausible, however often it is read', async () => {
    const { guard, clocks, events } = await startGuard(await openAt(temporaryFolder()))
    clocks.wall += 2 * DAY
    guard.time()
    clocks.wall += 60_000
    clocks.monotonic += 60_000
    expect([guard.state().isPlausible, guard.state().isPlausible]).toEqual([false, false])
    clocks.wall -= 2 * DAY
    expect(guard.state().isPlausible).toBe(true)
    expect(events()).toEqual(['error clock.implausible', 'info clock.plausible'])
  })

  it('a clock that was a year ahead at the start is plausible once it is set to what may be the time', async () => {
    const { store } = await storeWithCallback()
    const { guard, clocks } = await startGuard(store, NOON + 365 * DAY)
    clocks.wall = NOON + 5 * DAY
    expect(guard.state().isPlausible).toBe(true)
    clocks.wall += 2 * DAY
    expect(guard.state().isPlausible).toBe(false)
  })

  it('a clock that is far behind ends nothing: time goes on from the last certain one until it is set', async () => {
    const { guard, clocks, events } = await startGuard(await openAt(temporaryFolder()))
    clocks.wall = 0
    clocks.monotonic += 5000
    expect([guard.time(), guard.state().isPlausible]).toEqual([NOON + 5000, true])
    clocks.wall = NOON + 20_000
    clocks.monotonic += 5000
    expect([guard.time(), guard.state().isPlausible]).toEqual([NOON + 20_000, true])
    expect(events()).toEqual(['error clock.behind'])
  })

  it('the time that goes on is stored: it is in whole milliseconds, whatever the monotonic clock shows', async () => {
    const store = await openAt(temporaryFolder())
    const { guard, clocks } = await startGuard(store)
    clocks.wall = 0
    clocks.monotonic += 1.6
    await store.storeCallback(aCallback({ receivedAt: guard.time() }))
    expect((await store.readClock()).newestCallbackAt).toBe(NOON + 2)
  })

  it('reads each clock once for each callback', async () => {
    const reads = { now: 0, monotonic: 0 }
    const guard = await startClockGuard({
      store: await openAt(temporaryFolder()),
      now: () => NOON + reads.now++,
      monotonic: () => reads.monotonic++,
      log: recordingLog([]),
    })
    onTestFinished(() => guard.stop())
    const before = { ...reads }
    guard.time()
    expect(reads).toEqual({ now: before.now + 1, monotonic: before.monotonic + 1 })
  })

  it('a start with a clock in 1970 goes on from what the database knows', async () => {
    const { store } = await storeWithCallback()
    const { guard } = await startGuard(store, 0)
    expect(guard.time()).toBe(NOON)
    expect((await store.readClock()).heartbeatAt).toBe(NOON)
  })

  it('a clock that is set back by less than 7 days is believed', async () => {
    const { guard, clocks } = await startGuard(await openAt(temporaryFolder()))
    clocks.wall -= 3 * DAY
    expect(guard.state().isPlausible).toBe(true)
    clocks.wall += 0.5 * DAY
    expect(guard.state().isPlausible).toBe(true)
  })
})

it('an operator confirms a real pause, also for the next start', async () => {
  const { store } = await storeWithCallback()
  const { guard, events } = await startGuard(store, NOON + 40 * DAY)
  await guard.confirm()
  expect(guard.state().isPlausible).toBe(true)
  expect(events()).toEqual(['error clock.implausible', 'info clock.confirmed'])
  expect((await startGuard(store, NOON + 41 * DAY)).guard.state().isPlausible).toBe(true)
})

it('deliveries that an implausible clock put off are due when it is right again', async () => {
  const folder = temporaryFolder()
  const store = await openAt(folder)
  const { id } = await store.createDestination(aDestination(), NOON)
  await store.storeCallback(aCallback({ receivedAt: NOON }))
  const { guard, clocks } = await startGuard(store, NOON + 365 * DAY)
  const wanted = { limit: 1, now: clocks.wall, leaseUntil: clocks.wall + 1000, freshSince: 0, backlogLimit: 0 }
  const claim = await store.claimDeliveries({ destinationId: id, ...wanted })
  expect(claim.deliveries).toHaveLength(1)
  await store.recordAttempts([
    {
      deliveryId: 1,
      attempt: 1,
      startedAt: clocks.wall,
      durationMs: 1,
      status: 500,
      error: 'HTTP 500',
      answer: new Uint8Array(),
      result: { state: 'pending', at: clocks.wall + 60_000, retriesUsed: 1 },
    },
  ])
  const [other, trusted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  guard.onTrusted(other.resolve)
  guard.onTrusted(trusted.resolve)
  clocks.wall = NOON + 1000
  guard.state()
  await Promise.all([other.promise, trusted.promise])
  const [delivery] = await store.listDeliveries({}, 1)
  expect(delivery?.nextAttemptAt).toBe(NOON + 1000)
})

it('retention removes nothing, says why where somebody asks for it, and goes on after the confirmation', async () => {
  const { store } = await storeWithCallback()
  const { guard, clocks } = await startGuard(store, NOON + 365 * DAY)
  const lines: LogLine[] = []
  const retention = { payloadMs: 30 * DAY, metadataMs: 60 * DAY, kinds: {} }
  const runner = createRetentionRunner({
    store,
    retention,
    wake: () => undefined,
    now: () => clocks.wall,
    log: recordingLog(lines),
    clockProblem: () => guard.state().problem,
  })
  onTestFinished(() => runner.stop())
  runner.start()
  expect(runner.progress()).toBeNull()
  runner.prune()
  const failed = await until(
    () => runner.progress(),
    (progress) => progress?.state === 'failed',
  )
  expect(failed).toMatchObject({ events: 0, problem: expect.stringMatching(/confirm-clock/) })
  await guard.confirm()
  runner.prune()
  const done = await until(
    () => runner.progress(),
    (progress) => progress?.state === 'done',
  )
  expect(done).toMatchObject({ events: 1 })
})
