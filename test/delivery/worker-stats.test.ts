import { expect, it } from 'vitest'
import { createAttemptWindow } from '../../src/delivery/worker-stats.ts'

it('says nothing before the first attempt', () => {
  expect(createAttemptWindow().stats()).toEqual({
    ...{ attempts: 0, successRate: null, p50Ms: null, p95Ms: null, p99Ms: null },
  })
})

it('counts successes and ranks durations, in whatever order they came', () => {
  const window = createAttemptWindow()
  for (let i = 0; i < 100; i++) window.add({ durationMs: (i * 37) % 100, isSuccess: i % 4 !== 0 })
  expect(window.stats()).toEqual({ attempts: 100, successRate: 0.75, p50Ms: 50, p95Ms: 95, p99Ms: 99 })
})

it('forgets all but the last 1,000', () => {
  const window = createAttemptWindow()
  for (let i = 0; i < 700; i++) window.add({ durationMs: 9999, isSuccess: false })
  for (let i = 0; i < 1000; i++) window.add({ durationMs: 5, isSuccess: true })
  expect(window.stats()).toEqual({ attempts: 1000, successRate: 1, p50Ms: 5, p95Ms: 5, p99Ms: 5 })
})
