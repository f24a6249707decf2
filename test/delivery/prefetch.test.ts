import { expect, it } from 'vitest'
import { createPrefetch } from '../../src/delivery/prefetch.ts'

function after(attempts: readonly number[]) {
  const ahead = createPrefetch()
  for (const durationMs of attempts) ahead.add(durationMs)
  return ahead
}

it.each([
  ['nothing is known yet', [], 16, 16],
  ['answers take long', Array(100).fill(5000), 16, 16],
  ['answers take a tenth of a second', Array(100).fill(100), 16, 39],
  ['answers come at once', Array(100).fill(0), 16, 256],
  ['answers come at once, one at a time', Array(100).fill(1), 1, 32],
  ['answers come at once, very many at a time', Array(100).fill(0), 300, 300],
  ['answers came at once and take long now', [...Array(100).fill(0), ...Array(100).fill(5000)], 16, 16],
])('prepares what is soon sent: %s', (_when, attempts, concurrency, expected) => {
  expect(after(attempts).count(concurrency)).toBe(expected)
})
