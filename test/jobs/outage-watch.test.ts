import { expect, it, onTestFinished } from 'vitest'
import type { OwnEvent } from '../../src/domain/event.ts'
import { type OutageWatchOptions, startOutageWatch } from '../../src/jobs/outage-watch.ts'
import { NOON } from '../support/builders.ts'
import { type LogLine, recordingLog } from '../support/gateway.ts'
import { openTestStore } from '../support/store.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const STORED = { kept: {} } as Parameters<Awaited<ReturnType<typeof startOutageWatch>>['answered']>[0]
const REFUSED = { kept: null }

/** A database, and processes on it whose clock the test moves. */
async function aDatabase() {
  const store = await openTestStore()
  const clock = { now: NOON, isAccepting: true, isPlausible: true }
  const events: OwnEvent[] = []
  const lines: LogLine[] = []
  const rules = { retries: ['short'], isReconciled: true } as const

  async function start(changes: Partial<OutageWatchOptions> = {}) {
    const watch = await startOutageWatch({
      store,
      node: '',
      environment: 'production',
      rules: () => rules,
      isAccepting: () => clock.isAccepting,
      isClockPlausible: () => clock.isPlausible,
      onRaised: (event) => void events.push(event),
      now: () => clock.now,
      elapsed: () => clock.now,
      log: recordingLog(lines),
      intervalMs: 24 * HOUR,
      ...changes,
    })
    onTestFinished(watch.stop)
    return watch
  }
  /** Time passes, and the process looks every ten seconds. */
  async function pass(watch: Awaited<ReturnType<typeof start>>, ms: number): Promise<void> {
    const end = clock.now + ms
    while (clock.now < end) {
      clock.now = Math.min(end, clock.now + 10_000)
      await watch.check()
    }
  }
  const outages = async () => (await store.listOutages(0)).map(({ id: _id, ...one }) => one)
  const raised = async () => (await store.listEvents({ kinds: ['operator'] }, 100)).events
  return { store, clock, events, lines, start, pass, outages, raised }
}

it('shows life at the start, once a minute, and at the stop', async () => {
  const { store, clock, start, pass } = await aDatabase()
  const watch = await start({ node: 'one' })
  const run = async () => (await store.listRuns(9)).map(({ id: _id, ...one }) => one)
  expect(await run()).toEqual([{ node: 'one', startedAt: NOON, seenAt: NOON, endedAt: null }])
  await pass(watch, 50_000)
  expect(await run()).toMatchObject([{ seenAt: NOON }])
  await pass(watch, 70_000)
  expect(await run()).toMatchObject([{ seenAt: NOON + 2 * MINUTE, endedAt: null }])
  clock.now += 5000
  await watch.stop()
  expect(await run()).toMatchObject([{ startedAt: NOON, endedAt: NOON + 125_000 }])
})

it('finds no outage at the first start, after a restart of seconds, and when the clock was set back', async () => {
  const { clock, start, outages } = await aDatabase()
  await (await start()).stop()
  clock.now += 90_000
  await (await start()).stop()
  clock.now -= HOUR
  await start()
  expect(await outages()).toEqual([])
})

it('finds the time after a crash, tells of it once, also over restarts, and has it to reconcile', async () => {
  const { store, clock, events, lines, start, pass, outages, raised } = await aDatabase()
  // It never stops.
  await start()
  clock.now += 10 * HOUR
  const watch = await start()
  const outage = { beganAt: NOON, endedAt: clock.now, cause: 'down', raisedAt: clock.now, reconciledAt: null }
  expect(await outages()).toEqual([outage])
  expect(await raised()).toMatchObject([{ subject: 'service', status: 'outage' }])
  expect(events.map(({ body }) => JSON.parse(body))).toMatchObject([{ type: 'service.outage', cause: 'down' }])
  expect(lines).toMatchObject([{ level: 'warn', event: 'service.outage', cause: 'down' }])
  expect(watch.open()).toMatchObject([{ windows: [{ lost: { from: NOON } }] }])
  await watch.stop()
  clock.now += 5000

  const next = await start()
  await pass(next, MINUTE)
  expect([(await raised()).length, next.toReconcile()]).toEqual([1, [expect.objectContaining(outage)]])
  await next.reconciled(next.toReconcile()[0]?.id ?? 0)
  expect([next.toReconcile(), next.open().length]).toEqual([[], 1])
  await pass(next, 6 * HOUR)
  expect(next.open()).toEqual([])
  expect((await store.listOutages(0))[0]?.reconciledAt).toBe(clock.now - 6 * HOUR)
})

it('calls what reconciles when there is more to reconcile', async () => {
  const { clock, start, pass } = await aDatabase()
  await start()
  clock.now += HOUR
  const watch = await start()
  let calls = 0
  watch.onFound(() => calls++)
  await pass(watch, MINUTE)
  expect([watch.toReconcile().length, calls]).toEqual([1, 0])
  watch.answered(REFUSED)
  clock.now += 2 * MINUTE
  watch.answered(STORED)
  await watch.check()
  expect([watch.toReconcile().length, calls]).toEqual([2, 1])
})

it('where another node lives, there is no outage, and of nodes that start together one finds it', async () => {
  const { clock, start, pass, outages } = await aDatabase()
  const one = await start({ node: 'one' })
  const two = await start({ node: 'two' })
  await one.stop()
  await pass(two, HOUR)
  await start({ node: 'one' })
  expect(await outages()).toEqual([])
  clock.now += 2 * HOUR
  await Promise.all([start({ node: 'one' }), start({ node: 'two' })])
  expect((await outages()).length).toBe(1)
})

it('a node that does not raise leaves it to the other one', async () => {
  const { clock, start, raised } = await aDatabase()
  await start()
  clock.now += HOUR
  const lease = { isMine: false }
  const watch = await start({ isMine: () => lease.isMine })
  expect(await raised()).toEqual([])
  lease.isMine = true
  await watch.check()
  expect((await raised()).length).toBe(1)
})

it('under an implausible clock it waits, and then takes the time at which it started', async () => {
  const { clock, start, pass, outages } = await aDatabase()
  await start()
  clock.now += HOUR
  clock.isPlausible = false
  const started = clock.now
  const watch = await start()
  await pass(watch, MINUTE)
  expect(await outages()).toEqual([])
  clock.isPlausible = true
  await pass(watch, MINUTE)
  expect(await outages()).toMatchObject([{ beganAt: NOON, endedAt: started }])
})

it('a process that slept has an outage, and one whose clock was set has none', async () => {
  const { clock, start, outages } = await aDatabase()
  let sleptMs = 0
  const watch = await start({ elapsed: () => sleptMs })
  clock.now += HOUR
  await watch.check()
  expect(await outages()).toEqual([])
  sleptMs += MINUTE
  await watch.check()
  sleptMs += HOUR
  clock.now += HOUR
  await watch.check()
  expect(await outages()).toMatchObject([{ beganAt: NOON + HOUR, endedAt: NOON + 2 * HOUR, cause: 'down' }])
})

it('503 for less than a minute and a half is none', async () => {
  const { clock, start, pass, outages } = await aDatabase()
  const watch = await start()
  watch.answered(REFUSED)
  clock.now += 90_000
  watch.answered(STORED)
  // One alone is over when its cause is gone.
  watch.answered(REFUSED)
  await pass(watch, HOUR)
  expect([await outages(), watch.open()]).toEqual([[], []])
})

it('503 for longer is stored, has its event after five minutes, and ends when a callback is stored', async () => {
  const { clock, start, pass, outages, raised } = await aDatabase()
  const watch = await start()
  clock.isAccepting = false
  watch.answered(REFUSED)
  await pass(watch, 4 * MINUTE)
  const outage = { beganAt: NOON, endedAt: null, cause: 'refusing', raisedAt: null, reconciledAt: null }
  expect([await outages(), await raised(), watch.toReconcile()]).toEqual([[outage], [], []])
  await pass(watch, 2 * MINUTE)
  expect((await raised()).length).toBe(1)
  watch.answered(STORED)
  await watch.check()
  expect(await outages()).toMatchObject([{ beganAt: NOON, endedAt: clock.now }])
  await pass(watch, HOUR)
  expect([(await raised()).length, watch.toReconcile().length]).toEqual([1, 1])
})

it('503 ends when its cause is gone, though no callback comes', async () => {
  const { clock, start, pass, outages, raised } = await aDatabase()
  const watch = await start()
  clock.isAccepting = false
  watch.answered(REFUSED)
  await pass(watch, 2 * MINUTE)
  clock.isAccepting = true
  await pass(watch, 10_000)
  expect(await outages()).toMatchObject([{ endedAt: NOON + 130_000, raisedAt: NOON + 130_000 }])
  expect((await raised()).length).toBe(1)
})

it('503 that the store cannot note is shown at once, and noted when it can', async () => {
  const { store, clock, start, pass, outages } = await aDatabase()
  const disk = { isFull: false }
  const failing: OutageWatchOptions['store'] = {
    ...store,
    async beginOutage(outage) {
      if (disk.isFull) throw new Error('the disk is full')
      return store.beginOutage(outage)
    },
  }
  const watch = await start({ store: failing })
  disk.isFull = true
  clock.isAccepting = false
  watch.answered(REFUSED)
  await pass(watch, HOUR)
  expect(watch.open()).toMatchObject([{ cause: 'refusing', beganAt: NOON, endedAt: null }])
  expect(await outages()).toEqual([])
  watch.answered(STORED)
  await pass(watch, MINUTE)
  disk.isFull = false
  await pass(watch, MINUTE)
  expect(await outages()).toMatchObject([{ beganAt: NOON, endedAt: NOON + HOUR, cause: 'refusing' }])
})

it('503 goes on in the next process until its cause is gone, as one outage', async () => {
  const { clock, start, pass, outages } = await aDatabase()
  const watch = await start()
  clock.isAccepting = false
  watch.answered(REFUSED)
  await pass(watch, 2 * MINUTE)
  clock.now += HOUR
  const next = await start()
  await pass(next, MINUTE)
  expect(await outages()).toMatchObject([{ beganAt: NOON, endedAt: null }])
  clock.isAccepting = true
  await next.check()
  expect(await outages()).toMatchObject([{ beganAt: NOON, endedAt: clock.now, cause: 'refusing' }])
})

it('503 that comes again and again goes on, though the gateway seems to accept callbacks in between', async () => {
  const { start, pass, outages } = await aDatabase()
  const watch = await start()
  for (let round = 0; round < 4; round++) {
    watch.answered(REFUSED)
    await pass(watch, 30_000)
  }
  expect(await outages()).toMatchObject([{ beganAt: NOON, endedAt: null }])
  await pass(watch, MINUTE)
  expect(await outages()).toMatchObject([{ beganAt: NOON, endedAt: NOON + 150_000 }])
})
