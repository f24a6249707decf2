import { expect, it } from 'vitest'
import {
  createEventBus,
  type EventSubscription,
  type PublishedEvent,
  publishedEventsOf,
} from '../../src/domain/event-bus.ts'
import { aCallback, aFact, NOON } from '../support/builders.ts'

const NEWS: PublishedEvent = {
  kind: 'payment',
  environment: 'production',
  subject: '42',
  status: 'LIQUIDADO',
  receivedAt: NOON,
}

/** A bus that does its work when a test says so. */
function createTestHub() {
  const runs: (() => void)[] = []
  const bus = createEventBus((run) => runs.push(run))
  return {
    bus,
    runs,
    run() {
      for (const run of runs.splice(0)) run()
    },
  }
}

it.each<[EventSubscription, boolean]>([
  [{}, true],
  [{ kinds: ['payment'] }, true],
  [{ kinds: ['charge', 'payment', 'payment'] }, true],
  [{ kinds: ['charge'] }, false],
  [{ kinds: [] }, false],
  [{ environment: 'production' }, true],
  [{ environment: 'sandbox' }, false],
  [{ subject: '42' }, true],
  [{ subject: '4' }, false],
  [{ subject: '42', kinds: ['charge'] }, false],
  [{ status: 'LIQUIDADO' }, true],
  [{ status: 'CANCELADO' }, false],
  [{ receivedFrom: NOON }, true],
  [{ receivedFrom: NOON + 1 }, false],
  [{ receivedTo: NOON + 1 }, true],
  [{ receivedTo: NOON }, false],
  [{ kinds: ['payment'], subject: '42', environment: 'production', status: 'LIQUIDADO', receivedFrom: NOON }, true],
])('a caller that waits for %j is woken by a payment: %j', (filter, isWoken) => {
  const { bus, run } = createTestHub()
  let woken = false
  bus.subscribe(filter, () => (woken = true))
  bus.publish([NEWS])
  run()
  expect(woken).toBe(isWoken)
})

it('kinds that must be named wake no one who did not name them', () => {
  const { bus, run } = createTestHub()
  const woken: string[] = []
  bus.subscribe({}, () => woken.push('all'))
  bus.subscribe({ kinds: ['operator'] }, () => woken.push('named'))
  bus.publish([{ ...NEWS, kind: 'operator' }])
  run()
  expect(woken).toEqual(['named'])
})

it('an event without a subject wakes no one who waits for one', () => {
  const { bus, run } = createTestHub()
  const woken: string[] = []
  bus.subscribe({ subject: 'null' }, () => woken.push('subject'))
  bus.subscribe({}, () => woken.push('all'))
  bus.publish([{ ...NEWS, subject: null }])
  run()
  expect(woken).toEqual(['all'])
})

it('who has ended is woken no more, the others are', () => {
  const { bus, run } = createTestHub()
  const woken: string[] = []
  const end = bus.subscribe({ kinds: ['payment', 'charge'] }, () => woken.push('first'))
  bus.subscribe({ kinds: ['payment'] }, () => woken.push('second'))
  end()
  bus.publish([NEWS])
  run()
  expect(woken).toEqual(['second'])
})

it('news are gathered, and none are kept where no one waits', () => {
  const { bus, runs } = createTestHub()
  bus.publish([NEWS])
  expect(runs).toHaveLength(0)
  const end = bus.subscribe({ subject: 'another' }, () => undefined)
  for (let i = 0; i < 5; i++) bus.publish([NEWS])
  expect(runs).toHaveLength(1)
  end()
  bus.publish([NEWS])
  expect(runs).toHaveLength(1)
})

it('a callback tells of its events, and not of its duplicates', () => {
  const [first, second] = [aFact({ subject: '1' }), aFact({ subject: '2' })]
  const callback = aCallback()
  const subjectsOf = (news: readonly PublishedEvent[]) => news.map(({ subject }) => subject)
  expect(subjectsOf(publishedEventsOf(callback, { newFacts: [first, second] }))).toEqual(['1', '2'])
  expect(subjectsOf(publishedEventsOf(callback, { newFacts: [second] }))).toEqual(['2'])
  expect(publishedEventsOf(callback, {})).toEqual([])
})
