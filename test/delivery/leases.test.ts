import { expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { heldAnswers, startDispatching } from './dispatching.ts'

const URL = 'http://127.0.0.1:1/'

/** A dispatcher whose leases the test gives and takes. */
async function startLeased() {
  const far = heldAnswers()
  const held = new Set<number>()
  const lease = { isValid: true }
  const t = await startDispatching({
    send: far.send,
    holds: (id) => held.has(id),
    mayBegin: () => lease.isValid,
  })
  return { ...t, far, held, lease }
}

it('sends only to destinations that it holds, and names the others without counts', async () => {
  const { store, dispatcher, far, held, addDestination, receive } = await startLeased()
  const [own, other] = [await addDestination(URL, { name: 'own' }), await addDestination(URL, { name: 'other' })]
  held.add(own.id)
  await dispatcher.refresh()
  await receive(['a'])
  await until(() => far.waiting.length === 1)
  far.next()
  await until(() => dispatcher.totals().some(({ delivered }) => delivered === 1))
  expect(dispatcher.totals()).toMatchObject([
    { destination: 'own', delivered: 1 },
    { destination: 'other', delivered: 0, sending: 0 },
  ])
  expect(await store.listDeliveries({ destinationId: other.id }, 10)).toMatchObject([{ attempts: 0 }])

  held.add(other.id)
  await dispatcher.refresh()
  await until(() => far.waiting.length === 1)
  expect(dispatcher.totals()).toMatchObject([{ destination: 'own' }, { destination: 'other', sending: 1 }])
})

it('begins no attempt and claims nothing while its leases may be over, and goes on when it is woken', async () => {
  const { store, dispatcher, far, held, lease, addDestination, receive } = await startLeased()
  const { id } = await addDestination(URL, { concurrency: 1 })
  held.add(id)
  await dispatcher.refresh()
  await receive(['a', 'b'])
  await until(() => far.waiting.length === 1)
  lease.isValid = false
  far.next()
  await receive(['c'])
  await until(async () => (await store.listDeliveries({ state: 'delivered' }, 10)).length === 1)
  dispatcher.wake([id])
  expect(far.waiting).toEqual([])
  expect((await store.listDeliveries({ state: 'pending' }, 10)).length).toBe(2)

  lease.isValid = true
  dispatcher.wake([id])
  for (let n = 0; n < 2; n++) {
    await until(() => far.waiting.length === 1)
    far.next()
  }
  await until(async () => (await store.listDeliveries({ state: 'delivered' }, 10)).length === 3)
  expect(far.sent.toSorted()).toEqual(['a', 'b', 'c'])
})

it('leaves a destination: waits for the attempt under way and records it, and begins none', async () => {
  const { store, dispatcher, far, held, addDestination, receive } = await startLeased()
  const { id } = await addDestination(URL, { concurrency: 1 })
  held.add(id)
  await dispatcher.refresh()
  await receive(['a', 'b'])
  await until(() => far.waiting.length === 1)
  held.delete(id)
  const left = dispatcher.leave([id], 10_000)
  dispatcher.wake([id])
  far.next()
  await left
  expect(await store.listDeliveries({}, 10)).toMatchObject([
    { state: 'delivered', attempts: 1 },
    { state: 'pending', attempts: 0 },
  ])
  expect(far.waiting).toEqual([])
})

it('a stop waits no longer for a destination that is being left than for the others', async () => {
  const { store, dispatcher, far, held, addDestination, receive } = await startLeased()
  const { id } = await addDestination(URL)
  held.add(id)
  await dispatcher.refresh()
  await receive(['a'])
  await until(() => far.waiting.length === 1)
  held.delete(id)
  const left = dispatcher.leave([id], 3_600_000)
  await dispatcher.stop(1)
  await left
  expect(await store.listAttempts(1, 10)).toMatchObject([{ error: expect.stringMatching(/^interrupted/) }])
})

it('aborts the attempts of a destination that it has lost', async () => {
  const { store, dispatcher, far, held, addDestination, receive } = await startLeased()
  const { id } = await addDestination(URL)
  held.add(id)
  await dispatcher.refresh()
  await receive(['a'])
  await until(() => far.waiting.length === 1)
  held.delete(id)
  await dispatcher.leave([id], 0)
  expect(await store.listAttempts(1, 10)).toMatchObject([{ error: expect.stringMatching(/^interrupted/) }])
})

it('cancels the deliveries of a removed destination only where it is held', async () => {
  const { store, dispatcher, held, addDestination, receive } = await startLeased()
  const { id } = await addDestination(URL)
  await receive(['a'])
  await store.deleteDestination(id)
  await dispatcher.refresh()
  expect(await store.listDeliveries({}, 10)).toMatchObject([{ state: 'pending' }])
  held.add(id)
  await dispatcher.refresh()
  expect(await store.listDeliveries({}, 10)).toMatchObject([{ state: 'canceled' }])
})
