import { expect, it } from 'vitest'
import { createProbes } from '../../src/delivery/probes.ts'

const NOON = Date.UTC(2026, 0, 15, 12)
const HOUR_MS = 3_600_000

function start() {
  const clock = { now: NOON }
  return { clock, probes: createProbes(15_000, () => clock.now) }
}

it('the first goes an interval after the circuit opened, and each an interval after the one before', () => {
  const { clock, probes } = start()
  probes.restart()
  expect(probes.waitMs()).toBe(15_000)
  clock.now += 15_000
  expect(probes.waitMs()).toBe(0)
  probes.take()
  expect(probes.waitMs()).toBe(15_000)
  probes.soon()
  expect(probes.waitMs()).toBe(0)
})

it('the latest untried and the oldest due take turns', () => {
  const { probes } = start()
  expect([1, 2, 3].map(() => probes.take().isUntriedFirst)).toEqual([true, false, true])
})

it('a delay puts off what is sooner and leaves what is later; another opening of the circuit knows nothing of it', () => {
  const { probes } = start()
  probes.take()
  probes.delay(1000)
  expect(probes.waitMs()).toBe(15_000)
  probes.delay(60_000)
  expect(probes.waitMs()).toBe(60_000)
  probes.restart()
  expect(probes.waitMs()).toBe(15_000)
})

it.each([
  ['while one is waited for', () => undefined, 0],
  ['during an attempt', (probes: ReturnType<typeof createProbes>) => probes.delay(0), 0],
  [
    'during an attempt after which it shall be left alone',
    (probes: ReturnType<typeof createProbes>) => probes.delay(500),
    500,
  ],
])('a clock that is set back %s puts none off', (_, afterwards, waitMs) => {
  const { clock, probes } = start()
  probes.take()
  clock.now -= 2 * HOUR_MS
  afterwards(probes)
  expect(probes.waitMs()).toBe(waitMs)
})
