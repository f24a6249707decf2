import { expect, it } from 'vitest'
import { createAttemptCounts } from '../../src/delivery/worker-stats.ts'

it('says nothing before the first attempt', () => {
  expect(createAttemptCounts().stats()).toEqual({
    attempts: 0,
    successRate: null,
    p50Ms: null,
    p95Ms: null,
    p99Ms: null,
  })
})

it('counts successes and ranks durations, in whatever order they came', () => {
  const counts = createAttemptCounts()
  for (let i = 0; i < 100; i++) counts.attempted((i * 37) % 100, i % 4 !== 0)
  counts.exhausted(2)
  expect(counts.stats()).toEqual({ attempts: 100, successRate: 0.75, p50Ms: 50, p95Ms: 95, p99Ms: 99 })
  expect(counts.totals()).toEqual({ delivered: 75, failed: 25, exhausted: 2 })
})

it('forgets all but the last 1,000', () => {
  const counts = createAttemptCounts()
  for (let i = 0; i < 700; i++) counts.attempted(9999, false)
  for (let i = 0; i < 1000; i++) counts.attempted(5, true)
  expect(counts.stats()).toEqual({ attempts: 1000, successRate: 1, p50Ms: 5, p95Ms: 5, p99Ms: 5 })
})
