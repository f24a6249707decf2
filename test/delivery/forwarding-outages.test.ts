import { expect, it } from 'vitest'
import { PortariaError } from '../../src/platform/errors.ts'
import { until } from '../support/until.ts'
import { answered, heldAnswers, startDispatching, textOf } from './dispatching.ts'

const URL = 'http://127.0.0.1:1/'
const HOUR_MS = 3_600_000
const LONG = { schedule: [0, HOUR_MS, HOUR_MS], jitter: 0, retryAfterLimitMs: HOUR_MS, maxAgeMs: 24 * HOUR_MS }
const busy = (retryAfter: string) => ({ ...answered(503), retryAfter })

it('what an open circuit put off is due when it closes; a step of the schedule and a Retry-After are waited for', async () => {
  const far = heldAnswers()
  const circuit = { failures: 2, probeIntervalMs: HOUR_MS }
  const t = await startDispatching({ send: far.send, policy: LONG, circuit })
  await t.addDestination(URL, { concurrency: 4 })
  await t.receive(['step', 'put off', 'asked to wait', 'good'])
  await until(() => far.waiting.length === 4)
  const since = Date.now()
  const answers = {
    step: answered(503),
    'put off': answered(503),
    'asked to wait': busy('600'),
    good: answered(200),
  }
  const waiting = far.waiting.splice(0)
  for (const text of Object.keys(answers) as (keyof typeof answers)[])
    waiting.find((one) => one.text === text)?.answer(answers[text])
  await until(() => far.waiting.length === 1)
  expect(far.sent.slice(4)).toEqual(['put off'])
  far.next()
  const all = await until(t.deliveries, (every) => every.filter(({ state }) => state === 'delivered').length === 2)
  const waits = all.filter(({ state }) => state === 'pending').map((d) => [d.subject, (d.nextAttemptAt ?? 0) - since])
  expect(waits.map(([subject]) => subject).sort()).toEqual(['asked to wait', 'step'])
  for (const [subject, wait] of waits) expect(wait).toBeGreaterThanOrEqual(subject === 'step' ? HOUR_MS : 600_000)
  expect(t.linesOf('destination.recovered')).toHaveLength(1)
})

it('behind an open circuit Retry-After is heeded for the whole destination, up to its limit', async () => {
  const at: number[] = []
  const t = await startDispatching({
    policy: { retryAfterLimitMs: 200 },
    circuit: { failures: 1, probeIntervalMs: 10 },
    async send() {
      at.push(performance.now())
      return at.length < 4 ? busy('3600') : answered(200)
    },
  })
  await t.addDestination(URL, { concurrency: 1 })
  await t.receive(['a', 'b', 'c'])
  await t.allIn('delivered', 3)
  const between = at.slice(1, 4).map((time, i) => time - (at[i] as number))
  for (const ms of between) expect(ms).toBeGreaterThanOrEqual(195)
})

it('some deliveries that the destination cannot take do not keep a new one waiting: the latest untried is the next probe, or the one after it', async () => {
  const sent: string[] = []
  const t = await startDispatching({
    policy: LONG,
    circuit: { failures: 3, probeIntervalMs: 50 },
    async send(delivery) {
      sent.push(textOf(delivery))
      return answered(textOf(delivery).startsWith('bad') ? 500 : 200)
    },
  })
  await t.addDestination(URL, { concurrency: 2 })
  await t.receive(Array.from({ length: 30 }, (_, i) => `bad ${i}`))
  await until(() => t.linesOf('destination.circuit_opened').length === 1)
  await t.receive(['good'])
  const before = sent.length
  await until(() => sent.includes('good'))
  expect(sent.indexOf('good') - before).toBeLessThanOrEqual(3)
  await until(() => t.linesOf('destination.recovered').length > 0)
})

it('a clock that is set back puts no probe off', async () => {
  let offset = 0
  const far = heldAnswers()
  const t = await startDispatching({
    send: far.send,
    circuit: { failures: 1, probeIntervalMs: 60_000 },
    now: () => Date.now() + offset,
  })
  await t.addDestination(URL)
  await t.receive(['a'])
  await until(() => far.waiting.length === 1)
  expect(t.dispatcher.nextProbeAt(1)).toBeNull()
  const failedAt = Date.now()
  far.next(answered(503))
  await until(() => t.linesOf('destination.circuit_opened').length === 1)
  expect(t.dispatcher.nextProbeAt(1)).toBeGreaterThanOrEqual(failedAt + 60_000)
  offset = -2 * HOUR_MS
  expect(t.dispatcher.nextProbeAt(1)).toBeNull()
  await t.receive(['b'], Date.now() + offset)
  await until(() => far.waiting.length === 1)
  far.next()
  await until(() => t.linesOf('destination.recovered').length === 1)
  expect(far.sent).toEqual(['a', 'b'])
})

it('a 410 while the circuit is open pauses, and is no recovery', async () => {
  const far = heldAnswers()
  const t = await startDispatching({ send: far.send, circuit: { failures: 1, probeIntervalMs: 10 } })
  await t.addDestination(URL)
  await t.receive(['a'])
  for (const status of [503, 410]) {
    await until(() => far.waiting.length === 1)
    far.next(answered(status))
  }
  const destination = await until(t.destination, (d) => d?.state === 'paused')
  expect(destination?.circuitOpenedAt).toEqual(expect.any(Number))
  expect(t.linesOf('destination.recovered')).toEqual([])
})

it('what was claimed just before the circuit opened is given back unsent', async () => {
  const far = heldAnswers()
  const gate = Promise.withResolvers<void>()
  let claims = 0
  const released: number[] = []
  const t = await startDispatching({
    send: far.send,
    circuit: { failures: 1, probeIntervalMs: HOUR_MS },
    over: (store) => ({
      async claimDeliveries({ slots: _, ...request }) {
        const claim = await store.claimDeliveries(request)
        if (claim.deliveries.length > 0 && ++claims === 2) await gate.promise
        return claim
      },
      releaseClaims(claimed) {
        released.push(...claimed.map(({ deliveryId }) => deliveryId))
        return store.releaseClaims(claimed)
      },
      offerSlots: () => undefined,
    }),
  })
  await t.addDestination(URL)
  await t.receive(['a'])
  await until(() => far.waiting.length === 1)
  await t.receive(['b'])
  await until(() => claims === 2)
  far.next(answered(503))
  await until(() => t.linesOf('destination.circuit_opened').length === 1)
  gate.resolve()
  await until(() => released.length === 1)
  expect([far.sent, released]).toEqual([['a'], [2]])
})

it('an outcome that cannot be written for longer than its lease is kept: nothing is sent twice for it', async () => {
  let offset = 0
  let isBroken = true
  const askedAt: number[] = []
  const sent: number[] = []
  const t = await startDispatching({
    now: () => Date.now() + offset,
    over: (store) => ({
      recordAttempts: (outcomes) =>
        isBroken ? Promise.reject(new PortariaError('store_unavailable', 'full')) : store.recordAttempts(outcomes),
      async claimDeliveries(request) {
        const claim = await store.claimDeliveries(request)
        askedAt.push(request.now)
        return claim
      },
    }),
    async send({ attempt }) {
      sent.push(attempt)
      return answered(200)
    },
  })
  const { id } = await t.addDestination(URL)
  await t.receive(['a'])
  await until(() => t.linesOf('delivery.not_recorded').length > 0)
  offset = HOUR_MS
  t.dispatcher.wake([id])
  await until(() => (askedAt.at(-1) ?? 0) >= Date.now() + HOUR_MS / 2)
  isBroken = false
  await t.allIn('delivered', 1)
  expect([sent, (await t.store.listAttempts(1, 10)).map(({ attempt }) => attempt)]).toEqual([[1], [1]])
})

it.each(['skip and retry', 'retry'] as const)(
  'a %s of one in flight sends it again as soon as that attempt has failed, not beside it',
  async (way) => {
    const far = heldAnswers()
    const t = await startDispatching({ send: far.send, policy: LONG })
    const { id } = await t.addDestination(URL)
    await t.receive(['a'])
    await until(() => far.waiting.length === 1)
    if (way === 'skip and retry') await t.store.skipDelivery(1, Date.now())
    await t.store.retryDelivery(1, Date.now())
    t.dispatcher.wake([id])
    await until(t.deliveries, ([only]) => only?.state === 'pending' && (only.nextAttemptAt ?? 0) > Date.now())
    expect(far.sent).toHaveLength(1)
    far.next(answered(422))
    await until(() => far.waiting.length === 1)
    far.next()
    await t.allIn('delivered', 1)
    const tries = await t.store.listAttempts(1, 10)
    expect(tries.map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, 422],
      [2, 200],
    ])
  },
)

it('the backlog moves on, however much is fresh all the time', async () => {
  const sent: string[] = []
  const t = await startDispatching({
    async send(delivery) {
      sent.push(textOf(delivery))
      if (sent.length < 120) await t.receive(['new', 'new', 'new'])
      return answered(200)
    },
  })
  const { id } = await t.addDestination(URL, { concurrency: 1 })
  await t.change(t.store.pauseDestination(id, 'paused'))
  await t.receive(['old', 'old', 'old'], Date.now() - 1000)
  await t.receive(['new', 'new', 'new', 'new'], Date.now() + 50)
  await t.change(t.store.resumeDestination(id))
  await until(() => sent.length >= 120, undefined, 15_000)
  const positions = sent.flatMap((text, index) => (text === 'old' ? [index] : []))
  expect(positions).toHaveLength(3)
  expect(positions.at(-1)).toBeLessThan(60)
})

it('an exhausted event without a subject holds none, and no alarm says that it does', async () => {
  const t = await startDispatching({ policy: { schedule: [0] }, send: async () => answered(422) })
  await t.addDestination(URL, { order: 'subject' })
  await t.receive([null, 'a'])
  await until(() => t.linesOf('delivery.exhausted').length === 2)
  const holding = t.linesOf('delivery.exhausted').map((line) => [line.delivery, line.holdsItsSubject])
  expect(holding.sort()).toEqual([
    ['dlv_1', undefined],
    ['dlv_2', true],
  ])
})
