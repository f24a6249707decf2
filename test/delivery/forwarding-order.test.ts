import { expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { answered, heldAnswers, startDispatching } from './dispatching.ts'

const ORDERED = { order: 'subject' } as const
const URL = 'http://127.0.0.1:1/'

it('of a subject one is sent at a time, in order; other subjects and events without one go beside it', async () => {
  const far = heldAnswers()
  const t = await startDispatching({ send: far.send })
  await t.addDestination(URL, { ...ORDERED, concurrency: 8 })
  await t.receive(['a', 'a', 'b', null, 'a', null, 'b'])
  await until(() => far.waiting.length === 4)
  expect([...far.sent].sort()).toEqual(['a', 'b', 'none', 'none'])
  while ((await t.deliveries()).some(({ state }) => state !== 'delivered')) {
    await until(() => far.waiting.length > 0)
    const open = far.waiting.map(({ text }) => text).filter((text) => text !== 'none')
    expect(new Set(open).size).toBe(open.length)
    for (const one of far.waiting.splice(0)) one.answer(answered(200))
    await until(async () => far.waiting.length > 0 || (await t.deliveries()).every((d) => d.state === 'delivered'))
  }
  expect([...far.sent].sort()).toEqual(['a', 'a', 'a', 'b', 'b', 'none', 'none'])
})

it('a head that fails is tried again before the next one; one that is exhausted holds its subject, with an alarm, and no other', async () => {
  const sent: number[] = []
  const t = await startDispatching({
    policy: { schedule: [0, 10] },
    circuit: { failures: 100 },
    async send({ deliveryId }) {
      sent.push(deliveryId)
      return answered(deliveryId === 1 ? 422 : 200)
    },
  })
  await t.addDestination(URL, ORDERED)
  await t.receive(['a'])
  await t.receive(['a'])
  await t.receive(['b'])
  const ended = await until(t.deliveries, (all) => all[0]?.state === 'exhausted' && all[2]?.state === 'delivered')
  expect(ended.map(({ state }) => state)).toEqual(['exhausted', 'blocked', 'delivered'])
  expect(t.linesOf('delivery.exhausted')).toMatchObject([{ level: 'error', delivery: 'dlv_1', holdsItsSubject: true }])
  expect(sent).not.toContain(2)
  expect(await t.store.countBacklog()).toMatchObject([{ waiting: 0, blocked: 1 }])
})

it.each(['retry', 'skip'] as const)('a held subject goes on after a %s of its head', async (action) => {
  let isBad = true
  const sent: number[] = []
  const t = await startDispatching({
    policy: { schedule: [0] },
    async send({ deliveryId }) {
      sent.push(deliveryId)
      return answered(isBad ? 422 : 200)
    },
  })
  await t.addDestination(URL, ORDERED)
  await t.receive(['a', 'a', 'a'])
  await until(t.deliveries, (all) => all[0]?.state === 'exhausted')
  isBad = false
  const { destinationId } = await t.store[`${action}Delivery`](1, Date.now())
  t.dispatcher.wake([destinationId])
  await until(t.deliveries, (all) => all.every(({ state }) => state === 'delivered' || state === 'canceled'))
  expect(sent).toEqual(action === 'retry' ? [1, 1, 2, 3] : [1, 2, 3])
})

it('with onExhausted: continue the subject goes on behind an exhausted head, and no alarm says that it holds', async () => {
  const t = await startDispatching({
    policy: { schedule: [0] },
    send: async ({ deliveryId }) => answered(deliveryId === 1 ? 422 : 200),
  })
  await t.addDestination(URL, { ...ORDERED, onExhausted: 'continue' })
  await t.receive(['a', 'a', 'a'])
  await until(t.deliveries, (all) => all[2]?.state === 'delivered')
  expect((await t.deliveries()).map(({ state }) => state)).toEqual(['exhausted', 'delivered', 'delivered'])
  expect(t.linesOf('delivery.exhausted')[0]).not.toHaveProperty('holdsItsSubject')
})

it('a replay of an old event waits behind the head that is under way, and goes before what came later', async () => {
  const far = heldAnswers()
  const t = await startDispatching({ send: far.send })
  await t.addDestination(URL, ORDERED)
  await t.receive(['a'])
  await until(() => far.waiting.length === 1)
  far.next()
  await t.allIn('delivered', 1)
  await t.receive(['a'])
  await t.receive(['a'])
  await until(() => far.waiting.length === 1)
  const [first] = await t.deliveries()
  const { destinationIds } = await t.store.replayEvent(first?.eventId as string, null, Date.now())
  t.dispatcher.wake(destinationIds)
  expect((await t.deliveries()).map(({ state }) => state)).toEqual(['blocked', 'pending', 'blocked'])
  const order: number[] = []
  while (order.length < 3) {
    await until(() => far.waiting.length === 1)
    order.push(far.waiting[0]?.id as number)
    far.next()
  }
  await t.allIn('delivered', 3)
  expect(order).toEqual([2, 1, 3])
})

it('skipping one that waits does not let another past the head', async () => {
  const far = heldAnswers()
  const t = await startDispatching({ send: far.send })
  await t.addDestination(URL, ORDERED)
  await t.receive(['a'])
  await until(() => far.waiting.length === 1)
  far.next()
  await t.allIn('delivered', 1)
  for (let i = 0; i < 2; i++) await t.receive(['a'])
  await until(() => far.waiting.length === 1)
  const [first] = await t.deliveries()
  await t.store.replayEvent(first?.eventId as string, null, Date.now())
  t.dispatcher.wake([(await t.store.skipDelivery(3, Date.now())).destinationId])
  expect((await t.deliveries()).map(({ state }) => state)).toEqual(['blocked', 'pending', 'canceled'])
})

it('a restart with some behind a head, a pause and a resume keep the order', async () => {
  const far = heldAnswers()
  const t = await startDispatching({ send: far.send })
  await t.addDestination(URL, ORDERED)
  for (let i = 0; i < 4; i++) await t.receive(['a'])
  await until(() => far.waiting.length === 1)
  // No one answers: the restart gives up on the attempt.
  const sent: number[] = []
  const again = await t.restart({
    async send({ deliveryId }) {
      sent.push(deliveryId)
      if (sent.length === 1) void again.change(again.store.pauseDestination(1, 'paused'))
      return answered(sent.length === 1 ? 500 : 200)
    },
  })
  await until(async () => (await again.destination())?.state === 'paused')
  await again.change(again.store.resumeDestination(1))
  await again.allIn('delivered', 4)
  expect(sent).toEqual([1, 1, 2, 3, 4])
})

it('what is pending for a removed destination is canceled, those that waited in a line and those that held one included', async () => {
  const t = await startDispatching({ policy: { schedule: [0] }, send: async () => answered(422) })
  const { id } = await t.addDestination(URL, ORDERED)
  await t.receive(['a', 'a', 'a'])
  await until(t.deliveries, (all) => all[0]?.state === 'exhausted')
  await t.change(t.store.deleteDestination(id))
  expect((await t.deliveries()).map(({ state }) => state)).toEqual(['exhausted', 'canceled', 'canceled'])
  expect(await t.store.countBacklog()).toEqual([])
})

it('the backlog of one subject drains at the backlog’s rate too, behind what is new of others', async () => {
  const sent: string[] = []
  const answers = Promise.withResolvers<void>()
  const t = await startDispatching({
    catchUpRate: 5,
    async send(delivery) {
      const text = Buffer.from(delivery.body).toString()
      sent.push(text)
      if (text === 'old') await answers.promise
      return answered(200)
    },
  })
  const { id } = await t.addDestination(URL, ORDERED)
  await t.change(t.store.pauseDestination(id, 'paused'))
  await t.receive(Array(12).fill('old'), Date.now() - 1000)
  await t.change(t.store.resumeDestination(id))
  await until(() => sent.length === 1)
  await t.receive(['new', 'newer'])
  await until(() => sent.includes('newer'))
  expect(sent.toSorted()).toEqual(['new', 'newer', 'old'])
  const since = performance.now()
  answers.resolve()
  await t.allIn('delivered', 14)
  // Of the 11 that were left, at most those of one second go at once, and the others at 5 a second.
  expect(performance.now() - since).toBeGreaterThanOrEqual(6 * 200 * 0.8)
})
