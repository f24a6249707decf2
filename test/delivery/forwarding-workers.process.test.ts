import { expect, it } from 'vitest'
import type { Store } from '../../src/domain/store.ts'
import { PortariaError } from '../../src/platform/errors.ts'
import { reservePort } from '../support/ports.ts'
import { startReceiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'
import { answered, heldAnswers, startDispatching, textOf } from './dispatching.ts'
import { startRaw } from './receiver.ts'

const URL = 'http://127.0.0.1:1/'
/** Longer than any test: only a clock that a test moves on brings the next probe. */
const PROBE_MS = 180_000
const LONG = { schedule: [0, 600_000, 600_000], jitter: 0 }

/** How many steps of the schedule each has used, read from the next claim. */
async function stepsOf(store: Store, destinationId: number): Promise<number[]> {
  const later = Date.now() + 3_600_000
  const claim = { destinationId, limit: 100, now: later, leaseUntil: later + 1, freshSince: 0, backlogLimit: 100 }
  const { deliveries } = await store.claimDeliveries(claim)
  return deliveries.map(({ retriesUsed }) => retriesUsed)
}

it('a dead destination is probed once each interval, uses no step, and gets everything when it is back', async () => {
  let aheadMs = 0
  const t = await startDispatching({
    policy: { schedule: [0, 10, 10] },
    circuit: { failures: 3, probeIntervalMs: PROBE_MS },
    now: () => Date.now() + aheadMs,
  })
  const port = await reservePort()
  await t.addDestination(`http://127.0.0.1:${port}/`, { concurrency: 2 })
  await t.receive(Array(8).fill('a'))
  await until(() => t.linesOf('destination.circuit_opened').length === 1)
  const [opened] = t.linesOf('destination.circuit_opened')
  expect(opened).toEqual({
    level: 'error',
    event: 'destination.circuit_opened',
    destination: 'books',
    probeIntervalMs: PROBE_MS,
  })
  expect(await until(t.destination, (d) => d?.circuitOpenedAt !== null)).toMatchObject({ state: 'active' })
  // What was in flight at the opening comes to its end first.
  await until(() => t.dispatcher.stats(1)?.sending === 0)
  const atOpening = t.linesOf('delivery.attempted').length
  // A worker notices that the clock was set when something wakes it, at the latest after a minute.
  async function passInterval(): Promise<void> {
    aheadMs += PROBE_MS
    await t.dispatcher.refresh()
  }
  for (let probes = 1; probes <= 4; probes++) {
    await passInterval()
    await until(() => t.linesOf('delivery.attempted').length > atOpening + probes - 1)
  }
  expect(t.linesOf('delivery.attempted')).toHaveLength(atOpening + 4)
  const receiver = await startReceiver(port)
  await passInterval()
  const all = await t.allIn('delivered', 8)
  expect(receiver.received).toHaveLength(8)
  expect(all.every(({ attempts }) => attempts <= 8)).toBe(true)
  expect(await until(t.destination, (d) => d?.circuitOpenedAt === null)).toMatchObject({ state: 'active' })
  expect(t.linesOf('destination.circuit_opened')).toHaveLength(1)
  expect(t.linesOf('destination.recovered')).toEqual([
    { level: 'warn', event: 'destination.recovered', destination: 'books' },
  ])
  expect(t.linesOf('delivery.exhausted')).toEqual([])
})

it('attempts that were in flight when the circuit opened use no step, nor does the one that opened it, nor a probe', async () => {
  const far = heldAnswers()
  const t = await startDispatching({ send: far.send, policy: LONG, circuit: { failures: 3, probeIntervalMs: 60 } })
  const { id } = await t.addDestination(URL, { concurrency: 6 })
  await t.receive(['a', 'b', 'c', 'd', 'e', 'f'])
  await until(() => far.waiting.length === 6)
  for (let i = 0; i < 6; i++) far.next(answered(503))
  await until(() => far.waiting.length === 1)
  far.next(answered(null, 'no answer'))
  await until(() => t.linesOf('delivery.attempted').length === 7)
  await until(() => far.waiting.length === 1)
  await t.dispatcher.stop(0)
  expect((await stepsOf(t.store, id)).sort()).toEqual([0, 0, 0, 0, 1, 1])
})

it.each([
  ['a 4xx', 404],
  ['a redirect', 302],
])('%s is not the destination’s trouble: however many, the circuit stays closed', async (_, status) => {
  const t = await startDispatching({
    policy: { schedule: [0] },
    circuit: { failures: 2 },
    send: async () => answered(status),
  })
  await t.addDestination(URL)
  await t.receive(Array(10).fill('a'))
  await t.allIn('exhausted', 10)
  expect(t.linesOf('destination.circuit_opened')).toEqual([])
})

it('one poison delivery never opens the circuit and delays no other', async () => {
  const t = await startDispatching({
    policy: { schedule: Array(12).fill(1) },
    circuit: { failures: 2 },
    send: async (delivery) => answered(textOf(delivery) === 'poison' ? 500 : 200),
  })
  await t.addDestination(URL)
  await t.receive(['poison'])
  await until(() => t.linesOf('delivery.attempted').length > 3)
  await t.receive(Array(20).fill('good'))
  await until(t.deliveries, (all) => all.filter(({ state }) => state === 'delivered').length === 20)
  await until(t.deliveries, (all) => all[0]?.state === 'exhausted')
  expect((await t.deliveries())[0]?.attempts).toBe(12)
  expect(t.linesOf('destination.circuit_opened')).toEqual([])
})

it('an open circuit survives a restart: one probe, not a flood, and it closes by itself', async () => {
  const t = await startDispatching({ policy: LONG, send: async () => answered(503) })
  await t.addDestination(URL)
  await t.receive(Array(9).fill('a'))
  await until(t.destination, (d) => d?.circuitOpenedAt !== null)
  const far = heldAnswers()
  const again = await t.restart({ send: far.send })
  await until(() => far.waiting.length === 1)
  expect(again.dispatcher.stats(1)).toMatchObject({ sending: 1, circuitOpenedAt: expect.any(Number) })
  await again.receive(['b'])
  expect(far.sent).toHaveLength(1)
  far.next()
  await until(() => {
    for (const one of far.waiting.splice(0)) one.answer(answered(200))
    return again.dispatcher.stats(1)?.circuitOpenedAt === null && far.sent.length >= 7
  })
  expect(again.linesOf('destination.circuit_opened')).toEqual([])
  expect(again.linesOf('destination.recovered')).toHaveLength(1)
  await until(again.destination, (d) => d?.circuitOpenedAt === null)
})

it('a single waiting delivery is probed at every interval, and not at every other one', async () => {
  let [sent, aheadMs] = [0, 0]
  const t = await startDispatching({
    circuit: { failures: 1, probeIntervalMs: PROBE_MS },
    now: () => Date.now() + aheadMs,
    async send() {
      sent++
      return answered(503)
    },
  })
  await t.addDestination(URL)
  await t.receive(['a'])
  await until(() => t.linesOf('delivery.attempted').length === 1)
  for (let probes = 1; probes <= 4; probes++) {
    aheadMs += PROBE_MS
    await t.dispatcher.refresh()
    await until(() => t.linesOf('delivery.attempted').length === 1 + probes)
  }
  expect(sent).toBe(5)
})

it('what is too old costs no probe: the next one that may be sent is', async () => {
  const sent: string[] = []
  const t = await startDispatching({
    policy: { maxAgeMs: 60_000 },
    circuit: { failures: 1, probeIntervalMs: 60_000 },
    // As between two sweeps.
    over: () => ({ exhaustDeliveries: async () => ({ count: 0, holding: 0 }) }),
    async send(delivery) {
      sent.push(textOf(delivery))
      return answered(200)
    },
  })
  const { id } = await t.addDestination(URL, { concurrency: 1 })
  await t.store.pauseDestination(id, 'paused')
  await t.store.setCircuit(id, Date.now())
  const again = await t.restart()
  await again.receive(['old', 'old'], Date.now() - 60_001)
  await again.receive(['young'])
  await again.change(again.store.resumeDestination(id))
  await until(again.deliveries, (all) => all.length === 3 && all.every(({ state }) => state !== 'pending'))
  expect(sent).toEqual(['young'])
  expect((await again.deliveries()).map(({ state }) => state)).toEqual(['exhausted', 'exhausted', 'delivered'])
})

it.each(['resume', 'restart', 'recovery'] as const)(
  'after a %s what is new goes before the backlog, which drains at its rate',
  async (way) => {
    const sent: string[] = []
    let isUp = true
    const t = await startDispatching({
      policy: { schedule: [0, 600_000] },
      catchUpRate: 20,
      circuit: { failures: 1, probeIntervalMs: 100 },
      async send(delivery) {
        if (!isUp) return answered(503)
        sent.push(textOf(delivery))
        return answered(200)
      },
    })
    const { id } = await t.addDestination(URL, { concurrency: 2 })
    let now = t
    if (way === 'recovery') {
      isUp = false
      await t.receive(['old'])
      await until(() => t.linesOf('destination.circuit_opened').length === 1)
      await t.receive(Array(15).fill('old'))
      isUp = true
      await until(() => t.linesOf('destination.recovered').length === 1)
    } else {
      await t.change(t.store.pauseDestination(id, 'paused'))
      await t.receive(Array(16).fill('old'))
      if (way === 'restart') {
        await t.store.resumeDestination(id)
        now = await t.restart()
      } else await t.change(t.store.resumeDestination(id))
    }
    const since = performance.now()
    const before = sent.length
    await now.receive(['new', 'new', 'new'])
    await until(() => sent.filter((text) => text === 'new').length === 3)
    const oldBefore = sent.filter((text) => text === 'old').length
    expect(oldBefore).toBeLessThan(16)
    await now.allIn('delivered', 19)
    expect(sent.filter((text) => text === 'old')).toHaveLength(16)
    // At most what a moment's rest had saved, then 20 a second.
    expect(performance.now() - since).toBeGreaterThanOrEqual((16 - before - 6) * 50)
  },
)

it('a destination’s rate holds, for the backlog too, and nothing is left', async () => {
  const at: number[] = []
  const t = await startDispatching({
    async send() {
      at.push(performance.now())
      return answered(200)
    },
  })
  // One may be sent at once, and one more for each 40 ms that the destination is there, also while it is paused.
  const since = performance.now()
  const { id } = await t.addDestination(URL, { rateLimit: 25, concurrency: 8 })
  await t.change(t.store.pauseDestination(id, 'paused'))
  await t.receive(Array(6).fill('old'))
  await t.change(t.store.resumeDestination(id))
  await t.receive(Array(24).fill('new'))
  await t.allIn('delivered', 30)
  for (const [i, time] of at.entries()) expect(time - since).toBeGreaterThanOrEqual(i * 40 - 15)
  expect(at).toHaveLength(30)
})

it('what was kept in a pause gets no second’s worth at once for the time in which nothing was sent', async () => {
  const clock = { ms: Date.now() }
  const t = await startDispatching({ catchUpRate: 20, now: () => clock.ms })
  const receiver = await startReceiver()
  const { id } = await t.addDestination(receiver.url)
  clock.ms += 10_000
  await t.change(t.store.pauseDestination(id, 'for the test'))
  await t.receive(['a', 'b', 'c', 'd', 'e'])
  clock.ms += 10_000
  await t.change(t.store.resumeDestination(id))
  const delivered = async () => (await t.deliveries()).filter(({ state }) => state === 'delivered').length
  await until(delivered, (count) => count > 0)
  clock.ms += 100
  await until(delivered, (count) => count > 2)
  expect(receiver.received).toHaveLength(3)
})

it('own schedules: schedule[0] is the wait before the first attempt, and each destination has its own', async () => {
  const t = await startDispatching({
    policy: { schedule: [0, 10] },
    circuit: { failures: 100 },
    send: async () => answered(500),
  })
  await t.addDestination(URL, { name: 'common' })
  await t.addDestination(URL, { name: 'patient', schedule: [150, 10, 10] })
  await t.receive(['a'])
  const all = await t.allIn('exhausted', 2)
  expect(all.map(({ destinationName, attempts }) => [destinationName, attempts])).toEqual([
    ['common', 2],
    ['patient', 3],
  ])
  const [first] = await t.store.listAttempts(2, 10)
  expect((first?.startedAt ?? 0) - (all[1]?.createdAt ?? 0)).toBeGreaterThanOrEqual(150)
})

it('dead and hanging destinations cost the others nothing', async () => {
  const t = await startDispatching({ policy: LONG })
  const [silent, receiver] = [await startRaw(), await startReceiver()]
  await t.addDestination(`http://127.0.0.1:${silent.port}/`, { name: 'silent', timeoutMs: 60_000 })
  await t.addDestination(`http://127.0.0.1:${await reservePort()}/`, { name: 'dead' })
  const { id } = await t.addDestination(receiver.url, { name: 'well' })
  await t.receive(Array(100).fill('a'))
  await until(() => receiver.received.length === 100)
  expect(t.dispatcher.stats(id)).toMatchObject({ circuitOpenedAt: null, successRate: 1 })
  expect(silent.sockets).toHaveLength(4)
})

it('claims that were given back when the circuit opened are sent again after it', async () => {
  const far = heldAnswers()
  let isHeld = true
  const t = await startDispatching({
    circuit: { failures: 2, probeIntervalMs: 50 },
    policy: LONG,
    send: (...args) => (isHeld ? far.send(...args) : Promise.resolve(answered(200))),
  })
  await t.addDestination(URL, { concurrency: 2 })
  await t.receive(Array(12).fill('a'))
  await until(() => far.waiting.length === 2)
  isHeld = false
  far.next(answered(503))
  far.next(answered(503))
  // One used a step before the circuit opened: it waits for its time.
  await until(t.deliveries, (all) => all.filter(({ state }) => state === 'delivered').length === 11)
})

it('with a clock that was set back nothing is claimed over and over', async () => {
  let offset = 0
  let claims = 0
  const t = await startDispatching({
    now: () => Date.now() + offset,
    policy: { schedule: [300] },
    over: (store) => ({
      claimDeliveries(request) {
        claims++
        return store.claimDeliveries(request)
      },
    }),
    send: async () => answered(200),
  })
  await t.addDestination(URL)
  offset = -3_600_000
  await t.receive(['a'], Date.now() + offset)
  await t.allIn('delivered', 1)
  expect(claims).toBeLessThan(20)
})

it.each(['paused', 'behind an open circuit'])(
  'what is too old ends visibly while its destination is %s',
  async (way) => {
    const t = await startDispatching({
      policy: { schedule: [0, 600_000], maxAgeMs: 600 },
      circuit: { failures: 1, probeIntervalMs: 60_000 },
      send: async () => answered(503),
    })
    const { id } = await t.addDestination(URL, { name: 'plain' })
    const ordered = await t.addDestination(URL, { name: 'ordered', order: 'subject' })
    const going = await t.addDestination(URL, { name: 'going', order: 'subject', onExhausted: 'continue' })
    const all = [id, ordered.id, going.id]
    if (way === 'paused') {
      for (const one of all) await t.store.pauseDestination(one, 'paused')
      await t.dispatcher.refresh()
    } else {
      await t.receive(['first'])
      await until(() => t.linesOf('destination.circuit_opened').length === 3)
    }
    await t.receive(['a', 'a', 'a'])
    await until(t.deliveries, (every) => every.every(({ subject, state }) => subject !== 'a' || state !== 'pending'))
    const states = (await t.deliveries())
      .filter(({ subject }) => subject === 'a')
      .map(({ destinationName, state, reason }) => `${destinationName} ${state} ${reason}`)
    expect(states.sort()).toEqual([
      ...Array(3).fill('going exhausted older than forwarding.maxAge'),
      ...Array(2).fill('ordered blocked null'),
      'ordered exhausted older than forwarding.maxAge',
      ...Array(3).fill('plain exhausted older than forwarding.maxAge'),
    ])
    const alarms = t.linesOf('deliveries.exhausted')
    expect(alarms.every(({ level, reason }) => level === 'error' && reason === 'older than forwarding.maxAge')).toBe(
      true,
    )
    expect(alarms.filter(({ holdsItsSubject }) => holdsItsSubject === true).map((line) => line.destination)).toContain(
      'ordered',
    )
  },
)

it('a retry resets the age and the steps, under the same webhook-id', async () => {
  const receiver = await startReceiver()
  const t = await startDispatching({ policy: { maxAgeMs: 60_000, schedule: [0, 10] } })
  await t.addDestination(receiver.url)
  await t.receive(['a'], Date.now() - 70_000)
  await t.allIn('exhausted', 1)
  expect(receiver.received).toEqual([])
  receiver.answer(422)
  t.dispatcher.wake([(await t.store.retryDelivery(1, Date.now())).destinationId])
  await t.allIn('exhausted', 1)
  expect(receiver.received).toHaveLength(2)
  receiver.answer(200)
  t.dispatcher.wake([(await t.store.retryDelivery(1, Date.now())).destinationId])
  await t.allIn('delivered', 1)
  t.dispatcher.wake([(await t.store.retryDelivery(1, Date.now())).destinationId])
  await until(() => receiver.received.length === 4)
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
})

it('a retry of one that is in flight does nothing twice', async () => {
  const far = heldAnswers()
  const t = await startDispatching({ send: far.send })
  await t.addDestination(URL)
  await t.receive(['a'])
  await until(() => far.waiting.length === 1)
  t.dispatcher.wake([(await t.store.retryDelivery(1, Date.now())).destinationId])
  far.next()
  await t.allIn('delivered', 1)
  expect([far.sent.length, (await t.deliveries())[0]?.attempts]).toEqual([1, 1])
})

it('a pause for the client certificate ends by itself once it can be used, also after a restart, and an operator’s pause does not', async () => {
  const far = heldAnswers()
  let reason: string | null = 'the client certificate is valid only from 2027: check the clock'
  const sendBlockedReason = () => reason
  const t = await startDispatching({ send: far.send, sendBlockedReason })
  const { id } = await t.addDestination(URL)
  await until(async () => (await t.destination())?.state === 'paused')
  await t.receive(['a'])
  const again = await t.restart({ send: far.send, sendBlockedReason })
  expect(await again.destination()).toMatchObject({ state: 'paused', pauseReason: reason })

  reason = null
  await until(() => far.waiting.length === 1)
  expect(await again.destination()).toMatchObject({ state: 'active', pauseReason: null })
  expect(again.linesOf('destination.resumed')).toMatchObject([{ level: 'warn', destination: 'books' }])
  far.next()
  await again.allIn('delivered', 1)

  reason = 'the client certificate expired'
  again.dispatcher.wake([id])
  await until(async () => (await again.destination())?.state === 'paused')
  await again.change(again.store.pauseDestination(id, 'paused by an operator'))
  reason = null
  await again.change(again.store.pauseDestination(id, 'the client certificate expired'))
  expect(await again.destination()).toMatchObject({ state: 'paused', pauseReason: 'paused by an operator' })
})

it('a pause that cannot be ended is tried again', async () => {
  let reason: string | null = 'the client certificate expired'
  let failures = 1
  const t = await startDispatching({
    sendBlockedReason: () => reason,
    over: (store) => ({
      resumeDestination: (id, why) =>
        failures-- > 0
          ? Promise.reject(new PortariaError('store_unavailable', 'full'))
          : store.resumeDestination(id, why),
    }),
  })
  await t.addDestination(URL)
  await until(async () => (await t.destination())?.state === 'paused')
  reason = null
  await until(async () => (await t.destination())?.state === 'active')
  expect(t.linesOf('destination.not_resumed')).toMatchObject([{ level: 'warn', destination: 'books', error: 'full' }])
})

it('where it must not send it pauses the destination with the reason, once, and tries again where that cannot be written', async () => {
  let failures = 1
  const far = heldAnswers()
  const t = await startDispatching({
    send: far.send,
    sendBlockedReason: () => 'no certificate',
    over: (store) => ({
      pauseDestination: (id, reason) =>
        failures-- > 0
          ? Promise.reject(new PortariaError('store_unavailable', 'full'))
          : store.pauseDestination(id, reason),
    }),
  })
  await t.addDestination(URL)
  await until(async () => (await t.destination())?.state === 'paused')
  await t.receive(['a'])
  expect(await t.destination()).toMatchObject({ pauseReason: 'no certificate' })
  expect([far.sent, t.linesOf('destination.paused').length]).toEqual([[], 1])
})
