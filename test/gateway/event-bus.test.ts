import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { connectEventBus } from '../../src/gateway/event-bus.ts'
import { aCallback, aFact, NOON } from '../support/builders.ts'

const log = { debug() {}, info() {}, warn() {}, error() {}, fatal() {} }

const HEARERS = { onEvents: () => undefined, onOwnEvent: () => undefined }

const repeated = { callbackId: null, eventIds: [], duplicates: 1, destinationIds: [] }
const stored = { ...repeated, callbackId: 1, eventIds: ['evt_1_aaaaaaaaaa'], duplicates: 0, newFacts: [aFact()] }

it('tells the search index of events of every kind, and of nothing else; the alarms of those of the gateway itself', () => {
  let wakes = 0
  let own = 0
  const events = connectEventBus(
    { wake: () => undefined, send: () => undefined },
    { onEvents: () => wakes++, onOwnEvent: () => own++ },
    log,
  )

  events.onStored(repeated, aCallback({}))
  expect(wakes).toBe(0)
  events.onStored(stored, aCallback({}))
  expect(wakes).toBe(1)
  events.announce([], [{ kind: 'probe', environment: 'sandbox', subject: null, status: null, receivedAt: NOON }])
  expect(wakes).toBe(2)
  expect(own).toBe(0)
  const event = { environment: 'sandbox', madeAt: NOON, subject: 's', status: 'x', body: '{}' } as const
  events.onRaised(event, { eventId: 'evt_2_aaaaaaaaaa', destinationIds: [] })
  expect([wakes, own]).toEqual([3, 1])
})

it('wakes each destination once for all callbacks of a commit', async () => {
  const woken: unknown[] = []
  const events = connectEventBus({ wake: (ids) => void woken.push(ids), send: () => undefined }, HEARERS, log)
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
  const events = connectEventBus(dispatcher, HEARERS, log)
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
  const events = connectEventBus({ wake: () => undefined, send: () => undefined }, HEARERS, log)
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
