import { expect, it, onTestFinished } from 'vitest'
import type { ReplayMode, ReplayWish } from '../../src/domain/replay.ts'
import { createReplayRunner, type ReplayRunnerOptions } from '../../src/jobs/replay-runner.ts'
import { answered, type DispatchingOptions, heldAnswers, startDispatching, textOf } from '../delivery/dispatching.ts'
import { startHttp } from '../delivery/receiver.ts'
import { aCallback, aDestination, aFact } from '../support/builders.ts'
import { recordingLog } from '../support/gateway.ts'
import { until } from '../support/until.ts'

const URL = 'http://127.0.0.1:1/'

type Dispatching = Awaited<ReturnType<typeof startDispatching>>

/** What the gateway has around replays, over a store and a dispatcher. */
function runnerOf(t: Dispatching, over: Partial<ReplayRunnerOptions['store']> = {}) {
  const { store, dispatcher } = t
  const lines: Parameters<typeof recordingLog>[0] = []
  const log = recordingLog(lines)
  const runner = createReplayRunner({ store: { ...store, ...over }, wake: dispatcher.wake, now: Date.now, log })
  onTestFinished(() => runner.stop())
  return { runner, replayLines: lines }
}

async function startReplaying(options: DispatchingOptions = {}) {
  const t = await startDispatching(options)
  const { runner, replayLines } = runnerOf(t)
  async function replay(mode: ReplayMode, changes: Partial<ReplayWish> = {}): Promise<number> {
    const wish = { destinationId: 1, mode, filter: {}, ...changes }
    const upTo = await t.store.latestPosition()
    const { replayId } = await t.store.createReplay({ ...wish, owner: null, matched: 0, leftOut: 0, upTo }, Date.now())
    runner.start()
    return replayId
  }
  const ended = (replayId: number) =>
    until(
      () => t.store.getReplay(replayId),
      (replay) => replay?.state !== 'running',
    )
  return { ...t, runner, replayLines, replay, ended }
}

/** Events that are there already: no one is woken. */
async function keep(t: Dispatching, count: number, text: (n: number) => string = String): Promise<void> {
  const callback = (n: number) =>
    aCallback({ text: text(n), receivedAt: Date.now(), facts: [aFact({ subject: text(n) })] })
  for (let n = 0; n < count; n += 500)
    await Promise.all(
      Array.from({ length: Math.min(500, count - n) }, (_, i) => t.store.storeCallback(callback(n + i))),
    )
}

it('delivers what an outage exhausted, each once and under the id that it had', async () => {
  let isDown = true
  const sent: string[] = []
  const t = await startReplaying({
    policy: { schedule: [0, 10] },
    circuit: { failures: 1_000_000 },
    async send(delivery) {
      if (!isDown) sent.push(delivery.event.id)
      return answered(isDown ? 500 : 200)
    },
  })
  await t.addDestination(URL)
  await t.receive(Array.from({ length: 40 }, (_, n) => `${n}`))
  await t.allIn('exhausted', 40)
  isDown = false
  await t.receive(['fresh'])
  const replayId = await t.replay('failed')
  expect(await t.ended(replayId)).toMatchObject({ state: 'done', requeued: 40 })
  await t.allIn('delivered', 41)
  const ids = (await t.store.listEvents({}, 100)).events.map(({ id }) => id)
  expect([...sent].sort()).toEqual([...ids].sort())
  expect(t.replayLines).toMatchObject([
    {
      event: 'replay.started',
      level: 'info',
      replay: 'rpl_1',
      destination: 'books',
      mode: 'failed',
      askedBy: 'operator',
    },
    {
      event: 'replay.finished',
      level: 'info',
      replay: 'rpl_1',
      created: 40,
      state: 'done',
      durationMs: expect.any(Number),
    },
  ])
})

it('delivers what is missing to a destination that was deleted and made again, what was canceled with it included', async () => {
  const far = heldAnswers()
  const t = await startReplaying({ send: far.send })
  const { id } = await t.addDestination(URL, { concurrency: 1 })
  await t.receive(['delivered'])
  await until(() => far.waiting.length === 1)
  far.next()
  await t.allIn('delivered', 1)
  await t.change(t.store.pauseDestination(id, 'paused'))
  await t.receive(['canceled 1'])
  await t.receive(['canceled 2'])
  await t.change(t.store.deleteDestination(id))
  await t.receive(['nobody’s'])
  const anew = await t.addDestination(URL, { concurrency: 1 })
  const replayId = await t.replay('missing', { destinationId: anew.id })
  expect(await t.ended(replayId)).toMatchObject({ state: 'done', requeued: 3 })
  await until(async () => {
    far.next()
    return (await t.store.getReplay(replayId))?.waiting === 0
  })
  expect(far.sent).toEqual(['delivered', 'canceled 1', 'canceled 2', 'nobody’s'])
})

it('lets what is new pass by: the receiver gets it before nearly all of a replay of 2,000', async () => {
  let open: (() => void) | undefined
  const gate = new Promise<void>((resolve) => (open = resolve))
  const sent: string[] = []
  const t = await startReplaying({
    async send(delivery) {
      await gate
      sent.push(textOf(delivery))
      return answered(200)
    },
  })
  await keep(t, 2000, (n) => `old ${n}`)
  await t.addDestination(URL, { concurrency: 4 })
  expect(await t.ended(await t.replay('missing'))).toMatchObject({ requeued: 2000, waiting: 2000 })
  await t.receive(Array.from({ length: 70 }, (_, n) => `new ${n}`))
  open?.()
  await t.allIn('delivered', 2070)
  const before = sent.slice(
    0,
    sent.findLastIndex((text) => text.startsWith('new')),
  )
  // One place in eight is the backlog's; a few were claimed before anything new came.
  expect(before.filter((text) => text.startsWith('old')).length).toBeLessThanOrEqual(70 / 7 + 64)
  expect(sent).toHaveLength(2070)
})

it('is bounded by the rate of the backlog, and leaves what is new alone', async () => {
  const sent: string[] = []
  const t = await startReplaying({
    catchUpRate: 5,
    async send(delivery) {
      sent.push(textOf(delivery))
      return answered(200)
    },
  })
  await keep(t, 60, () => 'old')
  await t.addDestination(URL)
  await t.replay('missing')
  await until(() => sent.length > 0)
  await t.receive(Array.from({ length: 30 }, () => 'new'))
  await until(() => sent.filter((text) => text === 'new').length === 30)
  expect(sent.filter((text) => text === 'old').length).toBeLessThan(60)
})

it('creates only so many at once; canceled in the middle, it takes those back and creates no more', async () => {
  const far = heldAnswers()
  const t = await startReplaying({ send: far.send })
  await keep(t, 3000)
  await t.addDestination(URL, { concurrency: 2 })
  const replayId = await t.replay('missing')
  const full = await until(
    () => t.store.getReplay(replayId),
    (replay) => (replay?.waiting ?? 0) === 2000,
  )
  expect(full).toMatchObject({ state: 'running', requeued: 2000 })
  await until(() => far.waiting.length === 2)
  t.dispatcher.wake((await t.store.cancelReplay(replayId, Date.now())).destinationIds)
  await t.receive(['new'])
  await until(async () => {
    far.next()
    return far.sent.includes('new')
  })
  expect(await t.store.getReplay(replayId)).toMatchObject({ state: 'canceled', requeued: 2000, waiting: 0 })
  // What had been claimed may still have gone out.
  expect(far.sent.length).toBeLessThan(200)
  expect((await t.deliveries()).filter(({ state }) => state === 'canceled').length).toBeGreaterThan(1800)
})

it('goes on as its deliveries succeed', async () => {
  const t = await startReplaying({ send: async () => answered(200) })
  await keep(t, 3200)
  await t.addDestination(URL)
  expect(await t.ended(await t.replay('missing'))).toMatchObject({ state: 'done', requeued: 3200 })
  await t.allIn('delivered', 3200)
})

it('goes on after a restart, and creates nothing twice', async () => {
  const far = heldAnswers()
  const t = await startReplaying({ send: far.send })
  await keep(t, 2600)
  await t.addDestination(URL, { concurrency: 2 })
  const replayId = await t.replay('missing')
  await until(async () => (await t.store.getReplay(replayId))?.requeued === 2000)
  await t.runner.stop()
  const sent: string[] = []
  const again = await t.restart({
    async send(delivery) {
      sent.push(delivery.event.id)
      return answered(200)
    },
  })
  const { runner, replayLines } = runnerOf(again)
  runner.start()
  await again.allIn('delivered', 2600)
  expect(await again.store.getReplay(replayId)).toMatchObject({ state: 'done', requeued: 2600, waiting: 0 })
  expect([sent.length, new Set(sent).size]).toEqual([2600, 2600])
  expect(replayLines.map(({ event }) => event)).toEqual(['replay.continued', 'replay.finished'])
})

it('waits while the store takes nothing, and goes on', async () => {
  const t = await startDispatching({ send: async () => answered(200) })
  await keep(t, 3)
  await t.addDestination(URL)
  let failures = 0
  const { runner, replayLines } = runnerOf(t, {
    advanceReplay: (step, now) =>
      ++failures <= 2 ? Promise.reject(new Error('the disk is full')) : t.store.advanceReplay(step, now),
  })
  await t.store.createReplay(
    { destinationId: 1, mode: 'missing', filter: {}, owner: null, matched: 3, leftOut: 0, upTo: 3 },
    Date.now(),
  )
  runner.start()
  await t.allIn('delivered', 3)
  await until(() => replayLines.some(({ event }) => event === 'replay.finished'))
  expect(replayLines.filter(({ event }) => event === 'replay.delayed')).toMatchObject(
    Array(2).fill({ level: 'warn', replay: 'rpl_1', error: 'the disk is full' }),
  )
})

it('tells with an error that its destination was removed', async () => {
  const t = await startReplaying({ send: async () => answered(200) })
  await keep(t, 3)
  const { id } = await t.addDestination(URL)
  // Of one that was never to get anything no row is left to replay to.
  await t.receive(['a'])
  await t.allIn('delivered', 1)
  await t.change(t.store.deleteDestination(id))
  await t.ended(await t.replay('missing'))
  await until(() => t.replayLines.length === 2)
  expect(t.replayLines[1]).toMatchObject({
    level: 'error',
    event: 'replay.finished',
    state: 'failed',
    reason: 'its destination was removed',
  })
})

it('keeps the order of a subject, and says which of it is older than what was delivered', async () => {
  const receiver = await startHttp()
  const t = await startReplaying()
  const url = `http://127.0.0.1:${receiver.port}/`
  await t.addDestination(url, { order: 'subject', concurrency: 8 })
  for (const n of [1, 2, 3]) await t.receive(n === 2 ? ['a', 'b'] : ['a'])
  await t.allIn('delivered', 4)
  await t.store.createDestination(aDestination({ name: 'fresh', url, order: 'subject' }), Date.now())
  await t.dispatcher.refresh()
  const positionOf = new Map((await t.store.listEvents({}, 10)).events.map(({ id, position }) => [id, position]))
  const got = (from: number) =>
    receiver.received.slice(from).map(({ headers, body }) => ({
      subject: body.toString(),
      position: positionOf.get(String(headers['webhook-id'])),
      replay: headers['portaria-replay'],
    }))
  const ofA = (all: ReturnType<typeof got>) =>
    all.filter(({ subject }) => subject === 'a').map(({ position }) => position)

  expect(got(0).map(({ replay }) => replay)).toEqual(Array(4).fill(undefined))
  const inOrder = ofA(got(0))
  await t.ended(await t.replay('all'))
  await until(() => receiver.received.length === 8)
  expect(got(4).map(({ replay }) => replay)).toEqual(Array(4).fill('true'))
  expect(ofA(got(4))).toEqual(inOrder)
  // Where nothing of it was delivered before, it is in order.
  await t.ended(await t.replay('missing', { destinationId: 2 }))
  await until(() => receiver.received.length === 12)
  expect(got(8).map(({ replay }) => replay)).toEqual(Array(4).fill(undefined))
  expect(ofA(got(8))).toEqual(inOrder)
})
