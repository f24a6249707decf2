import { expect, it } from 'vitest'
import { createExposition } from '../../src/metrics/exposition.ts'
import { createRecentCounts } from '../../src/metrics/recent-traffic.ts'
import { createTraffic } from '../../src/metrics/traffic.ts'
import { NOON } from '../support/builders.ts'

const MINUTE = 60_000

function counting(kinds = ['payment', 'charge']) {
  const clock = { now: NOON }
  return { clock, counts: createRecentCounts(kinds, () => clock.now) }
}

it('counts callbacks by kind and minute since the start, the current minute last', () => {
  const { clock, counts } = counting()
  counts.stored('payment', 1)
  counts.stored('payment', 1)
  clock.now += 2 * MINUTE
  counts.stored('charge', 1)
  expect(counts.read().callbacks).toEqual({ payment: [2, 0, 0], charge: [0, 0, 1] })
  clock.now += MINUTE
  expect(counts.read().callbacks.charge).toEqual([0, 0, 1, 0])
})

it('keeps an hour', () => {
  const { clock, counts } = counting(['payment'])
  for (let minute = 0; minute < 150; minute++) {
    for (let i = 0; i < minute; i++) counts.stored('payment', 1)
    clock.now += MINUTE
  }
  expect(counts.read().callbacks.payment).toEqual([...Array.from({ length: 59 }, (_, index) => index + 91), 0])
  clock.now += 1000 * MINUTE
  expect(counts.read().callbacks.payment).toEqual(new Array(60).fill(0))
})

it('reads latencies of the last five minutes from buckets, at most 19 % too high', () => {
  const { clock, counts } = counting()
  expect(counts.read()).toMatchObject({ acknowledge: null, acknowledgeP99Ms: [null] })
  for (let i = 1; i <= 1000; i++) counts.stored('payment', i)
  const { acknowledge } = counts.read()
  expect(acknowledge?.p50Ms).toBeGreaterThanOrEqual(500)
  expect(acknowledge?.p50Ms).toBeLessThan(500 * 1.2)
  expect(acknowledge?.p99Ms).toBeGreaterThanOrEqual(990)
  expect(acknowledge?.p99Ms).toBeLessThan(990 * 1.2)
  for (const durationMs of [0, 1e9]) counts.stored('payment', durationMs)
  clock.now += 5 * MINUTE
  expect(counts.read().acknowledge).toBeNull()
  expect(counts.read().acknowledgeP99Ms.slice(1)).toEqual([null, null, null, null, null])
})

it('keeps the most deliveries that waited in each minute', () => {
  const { clock, counts } = counting()
  for (const deliveries of [3, 7, 0]) counts.waiting(deliveries)
  clock.now += 2 * MINUTE
  counts.waiting(1)
  expect(counts.read().waiting).toEqual([7, null, 1])
  clock.now += 59 * MINUTE
  expect(counts.read().waiting.slice(0, 2)).toEqual([1, null])
})

it('counts failures of the last five minutes, and knows when the first of them is lost', () => {
  const { clock, counts } = counting()
  const read = () => [counts.read().failed, counts.read().repeatedUntil]
  counts.failed(null)
  expect(read()).toEqual([1, null])
  for (const until of ['2026-11-28T09:00Z', '2026-11-27T14:00Z']) counts.failed(until)
  clock.now += MINUTE
  counts.failed('2026-11-27T20:00Z')
  expect(read()).toEqual([4, '2026-11-27T14:00Z'])
  clock.now += 4 * MINUTE
  expect(read()).toEqual([1, '2026-11-27T20:00Z'])
  clock.now += 60 * MINUTE
  expect(read()).toEqual([0, null])
})

it('a callback that could not be stored is sent again as long as its institution does', () => {
  const kinds = ['bank-a', 'bank-b'].map((institution) => ({ institution, name: 'payment' }))
  const traffic = createTraffic(createExposition(), kinds, (realm) => (realm === 'bank-a/sandbox' ? 3_600_000 : null))
  const before = Date.now()
  traffic.answered({ kind: 'payment', environment: 'bank-b/sandbox', kept: null })
  expect(traffic.recent().repeatedUntil).toBeNull()
  traffic.answered({ kind: 'payment', environment: 'bank-a/sandbox', kept: null })
  const { failed, repeatedUntil } = traffic.recent()
  const lost = Date.parse(repeatedUntil ?? '') - 3_600_000
  expect([failed, lost > before - 60_000, lost <= Date.now()]).toEqual([2, true, true])
})

it('survives a clock that is set back and forth', () => {
  const { clock, counts } = counting(['payment'])
  clock.now += MINUTE
  counts.stored('payment', 1)
  clock.now -= 3 * MINUTE
  counts.stored('payment', 1)
  expect(counts.read().callbacks.payment).toEqual([0, 2])
  clock.now -= 1000 * MINUTE
  counts.stored('payment', 1)
  expect(counts.read().callbacks.payment).toEqual([1])
})
