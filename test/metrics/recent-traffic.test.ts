import { expect, it } from 'vitest'
import { createRecentCounts } from '../../src/metrics/recent-traffic.ts'
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

it('counts failures of the last five minutes', () => {
  const { clock, counts } = counting()
  counts.failed()
  expect(counts.read().failed).toBe(1)
  clock.now += 5 * MINUTE
  expect(counts.read().failed).toBe(0)
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
