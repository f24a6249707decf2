import { expect, it, onTestFinished } from 'vitest'
import type { Removal, Retention } from '../../src/domain/retention.ts'
import type { Store } from '../../src/domain/store.ts'
import type { Pace } from '../../src/jobs/retention-pass.ts'
import { createRetentionRunner } from '../../src/jobs/retention-runner.ts'
import { aCallback, aDestination, anInterpretedCallback, NOON } from '../support/builders.ts'
import { type LogLine, recordingLog } from '../support/gateway.ts'
import { openTestStore, temporaryDatabase } from '../support/store.ts'
import { until } from '../support/until.ts'

const DAY = 86_400_000
const WEEK: Retention = { payloadMs: 7 * DAY, metadataMs: 30 * DAY, kinds: {} }

/** A store of its own with a runner over it, and what it asked for. */
async function startRunner(retention: Retention, changes: (store: Store) => Partial<Store> = () => ({}), pace?: Pace) {
  const file = temporaryDatabase()
  const store = await openTestStore({ file })
  const [lines, removals, asked, woken]: [LogLine[], Removal[], string[], number[]] = [[], [], [], []]
  const over: Store = { ...store, ...changes(store) }
  const runner = createRetentionRunner({
    store: {
      ...over,
      async announceRemoval(...args) {
        asked.push('announce')
        await over.announceRemoval(...args)
      },
      removeAged(removal, now) {
        asked.push(removal.part)
        removals.push(removal)
        return over.removeAged(removal, now)
      },
    },
    retention,
    wake: (ids) => woken.push(...ids),
    now: () => NOON,
    log: recordingLog(lines),
    ...(pace !== undefined && { pace }),
  })
  const stop = async () => {
    await runner.stop()
    await store.close()
  }
  onTestFinished(stop)
  const ended = () =>
    until(
      () => runner.progress(),
      (progress) => progress !== null && progress.state !== 'running',
    )
  return { store, runner, lines, removals, asked, woken, ended }
}

async function fill(store: Store, count: number, changes: Parameters<typeof aCallback>[0] = {}): Promise<void> {
  const of = (n: number) => aCallback({ text: `{"n":${n},"at":${changes.receivedAt}}`, ...changes })
  await Promise.all(Array.from({ length: count }, (_, n) => store.storeCallback(of(n))))
}

async function dataOf(store: Store): Promise<(string | null)[]> {
  const { events } = await store.listEvents({ kinds: ['payment', 'charge'] }, 1000)
  return events.map((event) => (event.payloadRemovedAt === null ? Buffer.from(event.body).toString() : null))
}

it('removes by itself what each kind does not keep, payloads first, by the time of the callback', async () => {
  const charges = { payloadMs: DAY, metadataMs: 2 * DAY }
  const { store, runner, lines, ended } = await startRunner({ ...WEEK, kinds: { charge: charges } })
  for (const age of [0, 3, 8, 31]) {
    const receivedAt = NOON - age * DAY
    await fill(store, 1, { text: `{"payment":${age}}`, receivedAt })
    await fill(store, 1, { text: `{"charge":${age}}`, kind: 'charge', receivedAt })
  }
  runner.start()
  const progress = await ended()
  expect(progress).toEqual({ state: 'done', payloads: 5, bytes: 64, events: 4, callbacks: 4, kept: 0, problem: null })
  expect(await dataOf(store)).toEqual(['{"payment":0}', '{"charge":0}', '{"payment":3}', null])
  expect(lines).toEqual([
    { level: 'info', event: 'retention.removed', payloads: 5, events: 4, kept: 0, durationMs: expect.any(Number) },
  ])
})

it('removes a lot in small steps, announced a thousand callbacks at a time', async () => {
  const { store, runner, asked, removals, ended } = await startRunner(WEEK)
  await fill(store, 2500, { receivedAt: NOON - 40 * DAY })
  // Many facts of one callback go at once, and nothing else with them.
  const items = Array.from({ length: 300 }, (_, n) => `{"n":${n}}`)
  await store.storeCallback({
    ...anInterpretedCallback(`{"pix":[${items.join()}]}`, ['/pix']),
    receivedAt: NOON - 40 * DAY,
  })
  runner.prune()
  expect(await ended()).toMatchObject({ state: 'done', payloads: 2800, events: 2800 })
  expect(Math.max(...removals.map(({ callbackIds }) => callbackIds.length))).toBeLessThanOrEqual(100)
  expect(removals.filter(({ callbackIds }) => callbackIds.includes(2501)).map((one) => one.callbackIds.length)).toEqual(
    [1, 1],
  )
  expect(asked.filter((what) => what === 'announce')).toHaveLength(3)
  expect(asked.lastIndexOf('payload')).toBeLessThan(asked.indexOf('announce'))
  expect(await dataOf(store)).toEqual([])
})

it('leaves the writer to others for most of the time', async () => {
  let at = 0
  const rests: number[] = []
  const pace: Pace = { elapsed: () => at, rest: async (ms) => void rests.push(ms) }
  // The first step takes 10 ms of the writer and is waited for 5 ms longer, the others 10 and much longer: that is others' time.
  const slow = ({ removeAged }: Store): Partial<Store> => ({
    async removeAged(removal, now) {
      at += rests.length === 0 ? 15 : 100
      return { ...(await removeAged(removal, now)), tookMs: 10 }
    },
  })
  const { store, runner, ended } = await startRunner(WEEK, slow, pace)
  await fill(store, 60, { receivedAt: NOON - 10 * DAY })
  runner.prune()
  await ended()
  expect(rests.length).toBeGreaterThan(2)
  // A fifth of the time is its own: four times as long as it was busy is everybody else's.
  expect(rests[0]).toBeCloseTo(60, 6)
  for (const rest of rests.slice(1)) expect(rest).toBeCloseTo(80, 6)
})

it('tells of what stays, and wakes the destinations whose subjects go on', async () => {
  const { store, runner, woken, ended } = await startRunner(WEEK)
  const { id } = await store.createDestination(aDestination({ order: 'subject', onExhausted: 'hold' }), NOON)
  await fill(store, 2, { receivedAt: NOON - 10 * DAY })
  const claim = { destinationId: id, limit: 1, now: NOON, leaseUntil: NOON + 1000, freshSince: 0, backlogLimit: 9 }
  const { deliveries } = await store.claimDeliveries(claim)
  const { deliveryId, attempt } = deliveries[0] ?? { deliveryId: 0, attempt: 0 }
  const failed = { startedAt: NOON, durationMs: 1, status: 500, error: 'HTTP 500', answer: new Uint8Array() }
  await store.recordAttempts([
    { deliveryId, attempt, ...failed, result: { state: 'exhausted', reason: 'the schedule is used up' } },
  ])
  runner.prune()
  expect(await ended()).toMatchObject({ payloads: 1, kept: 1 })
  expect(woken).toEqual([id])
})

it('says why it could not, and looks again when it is asked', async () => {
  let isBroken = true
  const failing = ({ removeAged }: Store): Partial<Store> => ({
    removeAged: (removal, now) => (isBroken ? Promise.reject(new Error('the disk is full')) : removeAged(removal, now)),
  })
  const { store, runner, lines, ended } = await startRunner(WEEK, failing)
  await fill(store, 1, { receivedAt: NOON - 10 * DAY })
  runner.prune()
  expect(await ended()).toMatchObject({ state: 'failed', problem: 'the disk is full', payloads: 0 })
  expect(lines).toContainEqual({ level: 'warn', event: 'retention.delayed', error: 'the disk is full' })
  isBroken = false
  runner.prune()
  expect(await ended()).toMatchObject({ state: 'done', payloads: 1 })
})

it('stops after the step under way, and what is left is removed the next time', async () => {
  const { store, runner, removals } = await startRunner(WEEK)
  await fill(store, 500, { receivedAt: NOON - 10 * DAY })
  runner.prune()
  await until(() => removals.length > 0)
  await runner.stop()
  const gone = (await dataOf(store)).filter((data) => data === null).length
  expect(runner.progress()).toMatchObject({ state: 'stopped', payloads: gone })
  expect(gone).toBeGreaterThan(0)
  expect(gone).toBeLessThan(500)
})

it('removes entries of the log of actions that are older than all metadata, in steps', async () => {
  const { store, runner, lines, ended } = await startRunner({
    ...WEEK,
    kinds: { charge: { payloadMs: DAY, metadataMs: 90 * DAY } },
  })
  const what = { action: 'a', target: null, reason: null, details: null, refersTo: null }
  const entry = { actor: 'operator', channel: 'api', ...what } as const
  const ages = [...Array.from({ length: 250 }, () => 91), 89, 31, 0]
  await Promise.all(ages.map((age) => store.recordAction({ ...entry, at: NOON - age * DAY })))
  runner.start()
  await ended()
  const { actions } = await store.listActions({}, 1000)
  expect(actions.map(({ id }) => id)).toEqual([251, 252, 253])
  expect(lines.filter(({ event }) => event === 'retention.actions_removed')).toMatchObject([{ actions: 250 }])
})
