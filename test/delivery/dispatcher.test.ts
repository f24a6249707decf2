import type { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import type { AttemptOutcome } from '../../src/domain/delivery.ts'
import type { Store } from '../../src/domain/store.ts'
import { PortariaError } from '../../src/platform/errors.ts'
import { aDestination as settingsOf } from '../support/builders.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { type DispatchingOptions, startDispatching } from './dispatching.ts'
import { startHttp, startRaw } from './receiver.ts'

/** With a circuit that lets a whole schedule fail, and callbacks that are only counted. */
async function startSending(options: DispatchingOptions = {}) {
  const t = await startDispatching({ circuit: { failures: 5 }, ...options })
  let number = 0
  const receive = (count = 1, receivedAt?: number) =>
    t.receive(
      Array.from({ length: count }, () => `${number++}`),
      receivedAt,
    )
  return { ...t, receive }
}

it('a failing destination is tried as the schedule says, every attempt is on record, and the end is an error in the log', async () => {
  const t = await startSending()
  const receiver = await startReceiver()
  receiver.answer(500)
  await t.addDestination(receiver.url)
  await t.receive()
  const [delivery] = await t.allIn('exhausted', 1)
  expect(delivery).toMatchObject({
    attempts: 4,
    reason: 'schedule used up',
    lastStatus: 500,
    lastError: 'answered HTTP 500',
    nextAttemptAt: null,
  })
  const attempts = await t.store.listAttempts(1, 100)
  expect(attempts.map(({ attempt, status, answer }) => [attempt, status, Buffer.from(answer).toString()])).toEqual(
    [1, 2, 3, 4].map((attempt) => [attempt, 500, 'thanks']),
  )
  const waits = attempts.slice(1).map(({ startedAt }, i) => {
    const before = attempts[i] as (typeof attempts)[number]
    return startedAt - before.startedAt - before.durationMs
  })
  for (const [i, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual([20, 40, 60][i] as number)
  expect(receiver.received.map(({ headers }) => headers['portaria-attempt'])).toEqual(['1', '2', '3', '4'])
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(t.linesOf('delivery.attempted').map(({ level, result }) => [level, result])).toEqual(
    Array(3).fill(['warn', 'pending']),
  )
  expect(t.linesOf('delivery.exhausted')).toMatchObject([
    { level: 'error', delivery: 'dlv_1', destination: 'books', attempt: 4, reason: 'schedule used up' },
  ])
})

it('any 2xx is a success, a redirect is none', async () => {
  const t = await startSending({ policy: { schedule: [0] } })
  const other = await startReceiver()
  const statuses = [200, 201, 204, 299, 302, 307]
  const receiver = await startHttp((response: ServerResponse) => {
    const status = Number(/\d+$/.exec(response.req.url ?? '')?.[0])
    response.writeHead(status, { location: other.url }).end()
  })
  for (const status of statuses)
    await t.addDestination(`http://127.0.0.1:${receiver.port}/${status}`, { name: `to-${status}` })
  await t.receive()
  const ended = await until(t.deliveries, (all) => all.every(({ state }) => state !== 'pending'))
  expect(ended.map(({ lastStatus, state }) => [lastStatus, state])).toEqual(
    statuses.map((status) => [status, status < 300 ? 'delivered' : 'exhausted']),
  )
  expect(other.received).toEqual([])
})

it('Retry-After is heeded up to its limit', async () => {
  const t = await startSending({ policy: { schedule: [0, 1, 1], retryAfterLimitMs: 150 } })
  const receiver = await startReceiver()
  receiver.answer(503, { 'retry-after': '3600' })
  await t.addDestination(receiver.url)
  await t.receive()
  await until(() => receiver.received.length === 1)
  receiver.answer(200)
  await t.allIn('delivered', 1)
  const [first, second] = await t.store.listAttempts(1, 10)
  expect([first?.status, second?.status]).toEqual([503, 200])
  const waited = (second?.startedAt ?? 0) - (first?.startedAt ?? 0) - (first?.durationMs ?? 0)
  expect(waited).toBeGreaterThanOrEqual(150)
  expect(waited).toBeLessThan(3_000_000)
})

it('410 pauses the destination once, keeps its backlog and uses no step; a resume delivers it', async () => {
  const t = await startSending({ policy: { schedule: [0] } })
  const receiver = await startReceiver()
  receiver.answer(410)
  const { id } = await t.addDestination(receiver.url)
  await t.receive(8)
  const [paused] = await until(
    () => t.store.listDestinations(),
    ([destination]) => destination?.state === 'paused',
  )
  expect(paused).toMatchObject({ pauseReason: 'it answered 410 Gone' })
  await t.receive(2)
  expect((await t.deliveries()).map(({ state }) => state)).toEqual(Array(10).fill('pending'))
  receiver.answer(200)
  await t.store.resumeDestination(id)
  await t.dispatcher.refresh()
  await t.allIn('delivered', 10)
  expect(t.linesOf('destination.paused')).toEqual([
    { level: 'error', event: 'destination.paused', destination: 'books', reason: 'it answered 410 Gone' },
  ])
  expect(t.lines.filter(({ event }) => event === 'delivery.exhausted')).toEqual([])
})

it('a pause that cannot be written is an error in the log, and is tried at the next 410', async () => {
  let failures = 0
  const over = (store: Store): Partial<Store> => ({
    pauseDestination: (id, reason) =>
      ++failures > 1
        ? store.pauseDestination(id, reason)
        : Promise.reject(new PortariaError('store_unavailable', 'full')),
  })
  const t = await startSending({ over })
  const receiver = await startReceiver()
  receiver.answer(410)
  await t.addDestination(receiver.url)
  await t.receive()
  await until(() => t.linesOf('destination.paused').length === 1)
  expect(t.linesOf('destination.not_paused')).toMatchObject([{ level: 'error', destination: 'books', error: 'full' }])
})

it('a 410 of a destination that is removed meanwhile is no error in the log', async () => {
  let refused = 0
  const over = (store: Store): Partial<Store> => ({
    async pauseDestination(id, reason) {
      await store.syncDestinations([], Date.now())
      return store.pauseDestination(id, reason).finally(() => refused++)
    },
  })
  const t = await startSending({ over })
  const receiver = await startReceiver()
  receiver.answer(410)
  await t.store.syncDestinations([settingsOf({ url: receiver.url })], Date.now())
  await t.dispatcher.refresh()
  await t.receive()
  await until(() => refused > 0)
  await t.dispatcher.refresh()
  await t.allIn('canceled', 1)
  expect(t.lines.filter(({ level }) => level === 'error')).toEqual([])
})

it('a reading of the destinations that fails after a 410 ends nothing', async () => {
  let isBroken = false
  const over = (store: Store): Partial<Store> => ({
    listDestinations: (options) =>
      isBroken ? Promise.reject(new PortariaError('store_unavailable', 'no reader')) : store.listDestinations(options),
  })
  const t = await startSending({ over })
  const receiver = await startReceiver()
  receiver.answer(410)
  await t.addDestination(receiver.url)
  isBroken = true
  await t.receive()
  await until(() => t.linesOf('destination.not_paused').length > 0)
  isBroken = false
  await until(
    () => t.store.listDestinations(),
    ([destination]) => destination?.state === 'paused',
  )
})

it('a pause holds what comes, a resume delivers it; others go on meanwhile', async () => {
  const t = await startSending()
  const [held, free] = [await startReceiver(), await startReceiver()]
  const { id } = await t.addDestination(held.url, { name: 'held' })
  await t.addDestination(free.url, { name: 'free' })
  await t.store.pauseDestination(id, 'paused by an operator')
  await t.dispatcher.refresh()
  await t.receive(3)
  await until(() => free.received.length === 3)
  expect(held.received).toEqual([])
  const backlog = await until(t.store.countBacklog, (all) => all.length === 1)
  expect(backlog).toMatchObject([{ destinationId: id, waiting: 3, blocked: 0 }])
  await t.store.resumeDestination(id)
  await t.dispatcher.refresh()
  await t.allIn('delivered', 6)
  expect(held.received).toHaveLength(3)
})

it('what is pending for a deleted destination is canceled visibly, once, an attempt in flight included', async () => {
  const canceled: number[] = []
  const over = (store: Store): Partial<Store> => ({
    async cancelDeliveries(...args) {
      const count = await store.cancelDeliveries(...args)
      canceled.push(count)
      return count
    },
  })
  const t = await startSending({ over })
  const silent = await startRaw()
  const { id } = await t.addDestination(`http://127.0.0.1:${silent.port}/`, { timeoutMs: 60_000, concurrency: 1 })
  await t.receive(3)
  await until(() => silent.sockets.length === 1)
  await t.store.deleteDestination(id)
  await t.dispatcher.refresh()
  expect((await t.deliveries()).map(({ state, reason }) => [state, reason])).toEqual(
    Array(3).fill(['canceled', 'its destination was removed']),
  )
  await t.dispatcher.refresh()
  expect(canceled).toEqual([3])
  expect(t.linesOf('deliveries.canceled')).toEqual([
    { level: 'warn', event: 'deliveries.canceled', destination: 'books', state: 'deleted', canceled: 3 },
  ])
})

it('no more requests are under way than the destination’s concurrency', async () => {
  const t = await startSending()
  const underWay = new Set<ServerResponse>()
  let most = 0
  const receiver = await startHttp((response) => {
    most = Math.max(most, underWay.add(response).size)
    if (underWay.size < 3) return
    // A fourth request would come within this time.
    setTimeout(() => {
      for (const waiting of underWay) waiting.end()
      underWay.clear()
    }, 10)
  })
  await t.addDestination(`http://127.0.0.1:${receiver.port}/`, { concurrency: 3 })
  await t.receive(30)
  await t.allIn('delivered', 30)
  expect([most, t.mostSending(), receiver.received.length]).toEqual([3, 3, 30])
})

it('a destination that hangs delays no other; at the stop its claims are given back, and what was under way uses no step', async () => {
  const t = await startSending()
  const silent = await startRaw()
  const receiver = await startReceiver()
  const { id } = await t.addDestination(`http://127.0.0.1:${silent.port}/`, { name: 'silent', timeoutMs: 60_000 })
  await t.addDestination(receiver.url, { name: 'quick' })
  await t.receive(20)
  await until(() => receiver.received.length === 20)
  expect(silent.sockets).toHaveLength(4)
  await t.stop()
  const waiting = await t.store.listDeliveries({ destinationId: id }, 100)
  const [underWay, others] = [waiting.slice(0, 4), waiting.slice(4)]
  expect(underWay.map(({ state, attempts }) => [state, attempts])).toEqual(Array(4).fill(['pending', 1]))
  expect(others.map(({ state, attempts }) => [state, attempts])).toEqual(Array(16).fill(['pending', 0]))
  for (const { deliveryId } of underWay)
    expect(await t.store.listAttempts(deliveryId, 9)).toMatchObject([
      { error: expect.stringMatching(/^interrupted: /) },
    ])
  const again = {
    destinationId: id,
    limit: 100,
    now: Date.now(),
    leaseUntil: Date.now() + 1000,
    freshSince: 0,
    backlogLimit: 100,
  }
  const { deliveries } = await t.store.claimDeliveries(again)
  expect(deliveries.map(({ attempt }) => attempt).sort()).toEqual([...Array(16).fill(1), ...Array(4).fill(2)])
  expect(deliveries.map(({ retriesUsed }) => retriesUsed)).toEqual(Array(20).fill(0))
})

it('an attempt that ends within the grace of the stop is recorded', async () => {
  const t = await startSending()
  const responses: ServerResponse[] = []
  const receiver = await startHttp((response) => responses.push(response))
  await t.addDestination(`http://127.0.0.1:${receiver.port}/`)
  await t.receive()
  await until(() => responses.length === 1)
  const stopped = t.stop(5000)
  responses[0]?.end()
  await stopped
  expect(await t.deliveries()).toMatchObject([{ state: 'delivered', attempts: 1, lastStatus: 200 }])
})

it('outcomes that cannot be written are kept and written later; nothing is sent twice for it', async () => {
  let failures = 2
  const written: (readonly AttemptOutcome[])[] = []
  const over = (store: Store): Partial<Store> => ({
    recordAttempts(outcomes) {
      if (failures-- > 0) return Promise.reject(new PortariaError('store_unavailable', 'the disk is full'))
      written.push(outcomes)
      return store.recordAttempts(outcomes)
    },
  })
  const t = await startSending({ over })
  const receiver = await startReceiver()
  await t.addDestination(receiver.url)
  await t.receive(20)
  await t.allIn('delivered', 20)
  expect(receiver.received).toHaveLength(20)
  expect(written.flat()).toHaveLength(20)
  expect(t.linesOf('delivery.not_recorded').map(({ level, error }) => [level, error])).toEqual(
    Array(2).fill(['error', 'the disk is full']),
  )
})

it('claims that fail are tried again', async () => {
  let failures = 1
  const over = (store: Store): Partial<Store> => ({
    claimDeliveries: (request) =>
      failures-- > 0
        ? Promise.reject(new PortariaError('store_unavailable', 'the disk is full'))
        : store.claimDeliveries(request),
  })
  const t = await startSending({ over })
  const receiver = await startReceiver()
  await t.addDestination(receiver.url)
  await t.receive()
  await t.allIn('delivered', 1)
  expect(t.linesOf('delivery.not_claimed')).toMatchObject([{ level: 'error', error: 'the disk is full' }])
})

it('what is older than forwarding.maxAge ends without a request', async () => {
  const t = await startSending({ policy: { maxAgeMs: 60_000 } })
  const receiver = await startReceiver()
  await t.addDestination(receiver.url)
  await t.receive(3, Date.now() - 60_001)
  await t.receive(1)
  const ended = await until(t.deliveries, (all) => all.every(({ state }) => state !== 'pending'))
  expect(ended.map(({ state, reason }) => [state, reason])).toEqual([
    ...Array(3).fill(['exhausted', 'older than forwarding.maxAge']),
    ['delivered', null],
  ])
  expect(receiver.received).toHaveLength(1)
  expect(t.linesOf('delivery.exhausted').map(({ level }) => level)).toEqual(Array(3).fill('error'))
})
