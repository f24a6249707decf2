import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { answered, heldAnswers, startDispatching } from './dispatching.ts'

it.each([
  ['address', { url: 'http://127.0.0.1:2/' }],
  ['header', { headers: [['authorization', 'Bearer right'] as const] }],
])('a destination whose %s is mended is tried at once, however far off the next probe is', async (_, changes) => {
  const sent: (string | undefined)[] = []
  const t = await startDispatching({
    circuit: { failures: 1, probeIntervalMs: 3_600_000 },
    async send(_delivery, { url, headers }) {
      sent.push(`${url}${headers}`)
      const isMended = url.endsWith(':2/') || headers.length > 0
      return answered(isMended ? 200 : 500)
    },
  })
  await t.addDestination('http://127.0.0.1:1/')
  await t.receive(['a'])
  await until(async () => (await t.destination())?.circuitOpenedAt != null)
  await t.change(t.store.updateDestination(1, { rateLimit: 1000 }, Date.now()))
  await t.change(t.store.updateDestination(1, changes, Date.now()))
  await t.allIn('delivered', 1)
  expect(sent).toHaveLength(2)
})

it('an order that comes while deliveries are under way holds from then on; nothing is lost or sent twice', async () => {
  const far = heldAnswers()
  const t = await startDispatching({ send: far.send })
  await t.addDestination('http://127.0.0.1:1/', { concurrency: 2 })
  await t.receive(Array(6).fill('a'))
  await until(() => far.sent.length === 2)
  await t.change(t.store.updateDestination(1, { order: 'subject' }, Date.now()))
  const delivered = async () => (await t.deliveries()).filter(({ state }) => state === 'delivered').length
  for (let done = 1; done <= 6; done++) {
    far.next()
    await until(async () => (await delivered()) === done)
    if (done < 6) await until(() => far.waiting.length > 0)
    expect(far.waiting.length).toBeLessThanOrEqual(1)
  }
  const deliveries = await t.deliveries()
  expect([far.sent.length, deliveries.map(({ attempts }) => attempts)]).toEqual([6, Array(6).fill(1)])
})

it('what is claimed and not begun is not sent once it is dropped: its claim is given back, the others go on', async () => {
  const far = heldAnswers()
  const t = await startDispatching({ send: far.send })
  await t.addDestination('http://127.0.0.1:1/', { concurrency: 1 })
  await t.receive(['a', 'b', 'c', 'd', 'e', 'f'])
  await until(() => far.sent.length === 1)
  const isClaimed = (await t.deliveries()).filter(({ attempts, state }) => state === 'pending' && attempts > 0)
  expect(isClaimed.length).toBeGreaterThan(1)
  const [subject] = isClaimed.map((delivery) => delivery.subject).filter((one) => one !== far.sent[0])
  const search = { subject: subject as string, institution: null, environment: null }
  const found = await t.store.findSubject(search, 9)
  const { deliveryIds } = await t.store.redact({ ...search, ...found }, Date.now())
  expect(t.dispatcher.drop(deliveryIds)).toBe(1)
  for (let sent = 1; sent <= 5; sent++) {
    await until(() => far.sent.length === sent)
    far.next()
  }
  const left = () => t.deliveries().then((all) => all.filter(({ state }) => state === 'pending').length)
  await until(left, (count) => count === 0)
  expect(far.sent.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'].filter((one) => one !== subject))
  const canceled = (await t.deliveries()).find((delivery) => delivery.subject === subject)
  expect(canceled).toMatchObject({ state: 'canceled', attempts: 0, reason: 'its data was redacted' })
})

it('where any delivery may be meant, all that are claimed and not begun are given back, and claimed again', async () => {
  const far = heldAnswers()
  const t = await startDispatching({ send: far.send })
  await t.addDestination('http://127.0.0.1:1/', { concurrency: 1 })
  await t.receive(['a', 'b', 'c', 'd'])
  await until(() => far.sent.length === 1)
  await until(() => t.dispatcher.drop('all') > 0)
  for (let sent = 1; sent <= 4; sent++) {
    await until(() => far.sent.length === sent)
    far.next()
  }
  await until(async () => (await t.deliveries()).every(({ state }) => state === 'delivered'))
  expect((await t.deliveries()).map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1])
})

it('a new destination that could not be read is taken up a moment later, without another change', async () => {
  let failures = 0
  const t = await startDispatching({
    send: async () => answered(200),
    over: (store) => ({
      listDestinations: (options) =>
        failures-- > 0 ? Promise.reject(new Error('busy')) : store.listDestinations(options),
    }),
  })
  failures = 2
  await expect(t.addDestination('http://127.0.0.1:1/')).rejects.toThrow('busy')
  await t.receive(['a'])
  await t.allIn('delivered', 1)
})

it('destinations that could not be read for many changes are read once more, not once for each', async () => {
  let [failures, readings] = [0, 0]
  const t = await startDispatching({
    send: async () => answered(200),
    over: (store) => ({
      listDestinations(options) {
        readings++
        return failures-- > 0 ? Promise.reject(new Error('busy')) : store.listDestinations(options)
      },
    }),
  })
  failures = 5
  const from = readings
  for (let change = 0; change < 5; change++) await expect(t.dispatcher.refresh()).rejects.toThrow('busy')
  await until(() => readings > from + 5)
  await wait(300)
  expect(readings - from).toBe(6)
})

it('deliveries of a removed destination that could not be canceled are canceled a moment later', async () => {
  let failures = 1
  const t = await startDispatching({
    send: heldAnswers().send,
    over: (store) => ({
      cancelDeliveries: (...call) =>
        failures-- > 0 ? Promise.reject(new Error('full')) : store.cancelDeliveries(...call),
    }),
  })
  const { id } = await t.addDestination('http://127.0.0.1:1/', { concurrency: 1 })
  await t.receive(['a', 'b', 'c'])
  await expect(t.change(t.store.deleteDestination(id))).rejects.toThrow('full')
  await t.allIn('canceled', 3)
})
