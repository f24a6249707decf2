import { expect, it } from 'vitest'
import { createLoginThrottle } from '../../../src/api/auth/login-throttle.ts'

it('lets four failures pass, then waits longer with each, up to a minute', () => {
  const limit = createLoginThrottle(() => 0)
  const waits = Array.from({ length: 13 }, () => {
    limit.failed('key')
    return limit.waitOf('key')
  })
  expect(waits).toEqual([0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60])
  expect(limit.waitOf('other')).toBe(0)
})

it('forgets after a quarter of an hour', () => {
  let now = 0
  const limit = createLoginThrottle(() => now)
  for (let n = 0; n < 5; n++) limit.failed('key')
  now = 15 * 60_000
  limit.failed('key')
  expect(limit.waitOf('key')).toBe(0)
})

it('remembers only so many: who failed longest ago makes room', () => {
  const limit = createLoginThrottle(() => 0, 2)
  for (const key of ['a', 'b']) for (let n = 0; n < 5; n++) limit.failed(key)
  limit.failed('c')
  expect(['a', 'b', 'c'].map(limit.waitOf)).toEqual([0, 1, 0])
})
