import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { connectEventBus } from '../../src/gateway/event-bus.ts'
import { aCallback, aFact, NOON } from '../support/builders.ts'

const log = { debug() {}, info() {}, warn() {}, error() {}, fatal() {} }

const repeated = { callbackId: null, eventIds: [], duplicates: 1, destinationIds: [] }
const stored = { ...repeated, callbackId: 1, eventIds: ['evt_1_aaaaaaaaaa'], duplicates: 0, newFacts: [aFact()] }

it('tells the search index of events of every kind, and of nothing else', () => {
  let wakes = 0
  const events = connectEventBus({ wake: () => undefined, send: () => undefined }, () => wakes++, log)

  events.onStored(repeated, aCallback({}))
  expect(wakes).toBe(0)
  events.onStored(stored, aCallback({}))
  expect(wakes).toBe(1)
  events.announce([], [{ kind: 'probe', environment: 'sandbox', subject: null, status: null, receivedAt: NOON }])
  expect(wakes).toBe(2)
  const own = { environment: 'sandbox', madeAt: NOON, subject: 's', status: 'x', body: '{}' } as const
  events.onRaised(own, { eventId: 'evt_2_aaaaaaaaaa', destinationIds: [] })
  expect(wakes).toBe(3)
})

it('wakes each destination once for all callbacks of a commit', async () => {
  const woken: unknown[] = []
  const events = connectEventBus({ wake: (ids) => void woken.push(ids), send: () => undefined }, () => undefined, log)
  const storedFor = (...destinationIds: number[]) => ({ callbackId: 1, eventIds: [], duplicates: 0, destinationIds })
  for (const one of [storedFor(), storedFor(1), storedFor(2, 1)]) events.onStored(one, aCallback({}))
  await turn()
  events.onStored(storedFor(1), aCallback({}))
  await turn()
  expect(woken).toEqual([[1, 2], [1]])
})

it('sends what was claimed with the callback, which no destination is woken for', async () => {
  const sent: unknown[] = []
  const woken: unknown[] = []
  const dispatcher = { wake: (ids: unknown) => void woken.push(ids), send: (ready: unknown) => void sent.push(ready) }
  const events = connectEventBus(dispatcher, () => undefined, log)
  const handed = [{ deliveryId: 7, destinationId: 3, hasOrderKey: false, leaseUntil: NOON + 9 }]
  const callback = aCallback({})

  events.onStored({ ...stored, handed }, callback)
  events.onStored(stored, callback)
  await turn()
  const delivery = { deliveryId: 7, destinationId: 3, attempt: 1, body: callback.body }
  expect(sent).toMatchObject([[{ delivery, leaseUntil: NOON + 9 }]])
  expect(woken).toEqual([])
})

it('wakes who waits for events, of a stored callback, too', async () => {
  const events = connectEventBus({ wake: () => undefined, send: () => undefined }, () => undefined, log)
  let wakes = 0
  const end = events.bus.subscribe({}, () => wakes++)
  expect(events.bus.hasSubscribers()).toBe(true)
  events.onStored(stored, aCallback({}))
  await turn()
  expect(wakes).toBe(1)
  end()
  expect(events.bus.hasSubscribers()).toBe(false)
  events.onStored(stored, aCallback({}))
  await turn()
  expect(wakes).toBe(1)
})
