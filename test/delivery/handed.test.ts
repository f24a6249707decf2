import { expect, it } from 'vitest'
import { handedDeliveriesOf } from '../../src/delivery/handed-deliveries.ts'
import type { ReadyDelivery } from '../../src/domain/delivery.ts'
import type { Store } from '../../src/domain/store.ts'
import { aCallback, aDestination, aFact } from '../support/builders.ts'
import { until } from '../support/until.ts'
import { answered, type DispatchingOptions, heldAnswers, startDispatching } from './dispatching.ts'

const URL = 'http://127.0.0.1:1/'
const HOUR_MS = 3_600_000

/** A dispatcher whose claims, offers and releases are counted, and that offers slots to one destination. */
async function startHanding(options: DispatchingOptions = {}, settings: Record<string, unknown> = {}) {
  const far = heldAnswers()
  const seen = { claimed: 0, released: [] as number[], offered: 0, offers: new Map<number, number>() }
  const t = await startDispatching({
    send: far.send,
    ...options,
    over: (store) => ({
      async claimDeliveries(request) {
        const claim = await store.claimDeliveries(request)
        seen.claimed += claim.deliveries.length
        return claim
      },
      releaseClaims(claims) {
        seen.released.push(...claims.map(({ deliveryId }) => deliveryId))
        return store.releaseClaims(claims)
      },
      offerSlots(slots) {
        seen.offered = slots.count
        seen.offers.set(slots.destinationId, slots.count)
        store.offerSlots(slots)
      },
      ...options.over?.(store),
    }),
  })
  const destination = await t.addDestination(URL, settings)
  return { t, far, seen, destination, hasSlots: () => until(() => seen.offered > 0) }
}

/** Stores a callback and keeps what it handed over from the dispatcher. */
async function handedBy(store: Store, text: string): Promise<ReadyDelivery[]> {
  const callback = aCallback({ text, receivedAt: Date.now(), facts: [aFact({ subject: text })] })
  return handedDeliveriesOf(callback, await store.storeCallback(callback))
}

it('a new delivery is sent without a claim, and its outcome is recorded', async () => {
  const { t, far, seen, hasSlots } = await startHanding()
  await hasSlots()
  await t.receive(['a'])
  await until(() => far.waiting.length === 1)
  far.next()
  expect(await t.allIn('delivered', 1)).toMatchObject([{ attempts: 1, lastStatus: 200, subject: 'a' }])
  expect([far.sent, seen.claimed]).toEqual([['a'], 0])
})

it('has the same content as a claimed one', async () => {
  const { t, hasSlots, destination } = await startHanding({ over: () => ({ releaseClaims: async () => undefined }) })
  await hasSlots()
  const headers = '[["content-type","application/json"],["cdn-loop","a; v=1"],["cdn-loop","b"]]'
  const callback = aCallback({ text: '{"n":1}', receivedAt: Date.now(), headers })
  const [ready] = handedDeliveriesOf(callback, await t.store.storeCallback(callback))
  await t.store.releaseClaims([{ deliveryId: 1, attempt: 1, dueAt: callback.receivedAt }])
  const now = Date.now()
  const request = { limit: 1, now, leaseUntil: now + 9, freshSince: 0, backlogLimit: 1 }
  const { deliveries } = await t.store.claimDeliveries({ ...request, destinationId: destination.id })
  expect(ready?.delivery).toEqual(deliveries[0])
  expect(ready?.delivery.loop).toBe('a; v=1, b')
})

it('what exceeds the slots waits for a claim', async () => {
  const { t, far, seen, hasSlots } = await startHanding({}, { concurrency: 1 })
  await hasSlots()
  await t.receive(['a', 'b', 'c', 'd', 'e'])
  for (let count = 1; count <= 5; count++) {
    await until(() => far.waiting.length === 1)
    far.next()
  }
  await t.allIn('delivered', 5)
  expect([...far.sent].sort()).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(seen.claimed).toBeGreaterThan(0)
  expect(seen.claimed).toBeLessThan(5)
})

it('behind a claim that leaves nothing that is due, a new delivery is handed over, and sent when the claim has ended', async () => {
  const gate = Promise.withResolvers<void>()
  const { t, far } = await startHanding({
    over: (store) => ({
      async claimDeliveries(request) {
        const claim = await store.claimDeliveries(request)
        await gate.promise
        return claim
      },
    }),
  })
  await t.receive(['a'])
  expect(await t.deliveries()).toMatchObject([{ state: 'pending', attempts: 1 }])
  expect(far.sent).toEqual([])
  gate.resolve()
  await until(() => far.sent.length === 1)
})

it('a destination with a rate limit, or one that nothing may be sent to, offers no slots', async () => {
  const limited = await startHanding({}, { rateLimit: 5 })
  await limited.t.receive(['a'])
  await until(() => limited.far.waiting.length === 1)
  expect([limited.seen.offered, limited.seen.claimed]).toEqual([0, 1])
  const blocked = await startHanding({ sendBlockedReason: () => 'no certificate' })
  await until(() => blocked.t.linesOf('destination.paused').length === 1)
  expect(blocked.seen.offered).toBe(0)
})

it.each([
  ['the circuit opened', 'circuit'],
  ['an operator paused the destination', 'pause'],
])('where %s meanwhile, the claim is given back unsent', async (_, cause) => {
  const circuit = { failures: 1, probeIntervalMs: HOUR_MS }
  const { t, far, seen, destination, hasSlots } = await startHanding({ circuit })
  await hasSlots()
  await t.receive(['a'])
  await until(() => far.waiting.length === 1)
  const handed = await handedBy(t.store, 'b')
  expect(handed).toMatchObject([{ delivery: { deliveryId: 2 } }])
  if (cause === 'pause') await t.change(t.store.pauseDestination(destination.id, 'by an operator'))
  else far.next(answered(503))
  await until(() => cause === 'pause' || t.linesOf('destination.circuit_opened').length === 1)

  t.dispatcher.send(handed)

  await until(() => seen.released.includes(2))
  const second = await until(
    async () => (await t.deliveries())[1],
    (delivery) => delivery?.attempts === 0,
  )
  expect(second).toMatchObject({ state: 'pending', nextAttemptAt: handed[0]?.delivery.dueAt })
  expect(far.sent).toEqual(['a'])
})

it('whether it may be sent is asked once', async () => {
  let asked = 0
  const { t, hasSlots } = await startHanding({
    sendBlockedReason() {
      asked++
      return null
    },
  })
  await hasSlots()
  const handed = await handedBy(t.store, 'a')
  asked = 0
  t.dispatcher.send(handed)
  expect(asked).toBe(1)
})

it('where nothing may be sent any more, it is given back unsent, and the destination is paused with the reason', async () => {
  let reason: string | null = null
  const { t, far, hasSlots } = await startHanding({ sendBlockedReason: () => reason })
  await hasSlots()
  reason = 'the client certificate expired'
  await t.receive(['a'])
  await until(t.destination, (destination) => destination?.state === 'paused')
  expect(await t.destination()).toMatchObject({ pauseReason: reason })
  expect([far.sent, (await t.deliveries()).map(({ state, attempts }) => [state, attempts])]).toEqual([
    [],
    [['pending', 0]],
  ])
})

it('after the stop its claim is given back, and the next start sends it', async () => {
  const { t, seen, hasSlots } = await startHanding()
  await hasSlots()
  const handed = await handedBy(t.store, 'a')
  expect(handed).toHaveLength(1)
  await t.dispatcher.stop(0)
  t.dispatcher.send(handed)
  await until(() => seen.released.length === 1)
  const far = heldAnswers()
  const again = await t.restart({ send: far.send, over: () => ({}) })
  await until(() => far.waiting.length === 1)
  expect(await again.deliveries()).toMatchObject([{ attempts: 1 }])
})

it('for a destination that was removed meanwhile, it is canceled and not sent', async () => {
  const { t, far, destination, hasSlots } = await startHanding()
  await hasSlots()
  const handed = await handedBy(t.store, 'a')
  await t.change(t.store.deleteDestination(destination.id))
  t.dispatcher.send(handed)
  expect(await t.allIn('canceled', 1)).toMatchObject([{ reason: 'its destination was removed' }])
  expect(far.sent).toEqual([])
})

it('one that was on its way when its destination left the configuration takes no place of the worker that follows', async () => {
  const { t, seen } = await startHanding()
  const other = aDestination({ name: 'other', url: URL, concurrency: 1, kinds: ['payment'] })
  const configure = (wanted: (typeof other)[]) => t.change(t.store.syncDestinations(wanted, Date.now()))
  const hasSlots = () => until(() => seen.offers.get(2) === 2)
  await configure([other])
  await hasSlots()
  const handed = await handedBy(t.store, 'a')
  await configure([])
  t.dispatcher.send(handed)
  await configure([other])
  await hasSlots()
  const stored = await Promise.all(['b', 'c'].map((text) => handedBy(t.store, text)))
  expect(stored.map((all) => all.filter(({ delivery }) => delivery.destinationId === 2).length)).toEqual([1, 1])
})

it('one whose destination left the configuration and came back is sent at once, not when its lease ends', async () => {
  const gate = Promise.withResolvers<void>()
  let isAway = false
  const { t, far, destination, hasSlots } = await startHanding({
    over: (store) => ({
      releaseClaims: (claims) => gate.promise.then(() => store.releaseClaims(claims)),
      listDestinations: async (...options) =>
        isAway ? [{ ...destination, state: 'retired' }] : store.listDestinations(...options),
      cancelDeliveries: async () => 0,
    }),
  })
  await hasSlots()
  const handed = await handedBy(t.store, 'a')
  isAway = true
  await t.dispatcher.refresh()
  t.dispatcher.send(handed)
  isAway = false
  await t.dispatcher.refresh()
  gate.resolve()
  await until(() => far.sent.length === 1)
})

it('of a subject in order, the next one follows when the handed one has ended', async () => {
  const { t, far, hasSlots } = await startHanding({}, { order: 'subject' })
  await hasSlots()
  await t.receive(['s', 's'])
  await until(() => far.waiting.length === 1)
  expect((await t.deliveries()).map(({ state }) => state)).toEqual(['pending', 'blocked'])
  far.next()
  await until(() => far.waiting.length === 1)
  far.next()
  await t.allIn('delivered', 2)
})

it('one whose result was lost is claimed when its lease ends', async () => {
  let offset = 0
  const { t, far, seen, hasSlots } = await startHanding({ now: () => Date.now() + offset })
  await hasSlots()
  // Its result never reaches the dispatcher.
  expect(await handedBy(t.store, 'lost')).toHaveLength(1)
  offset = 60_000
  await t.receive(['next'], Date.now() + offset)
  t.dispatcher.wake([1])
  await until(() => far.sent.includes('lost'))
  expect(seen.claimed).toBeGreaterThan(0)
})
