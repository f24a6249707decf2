import { expect, it } from 'vitest'
import { createPace } from '../../src/store/verification/verify-pace.ts'

it('the progress of a verification names its rate and the time left, once it runs for two seconds', () => {
  let now = 0
  const paceAt = createPace(1000, 5_001_000, () => now)
  expect(paceAt(1000)).toBe('event 1000 of 5001000')
  now = 1999
  expect(paceAt(200_000)).toBe('event 200000 of 5001000')
  now = 10_000
  expect(paceAt(1_251_000)).toBe('event 1251000 of 5001000, 125000 events/s, 30 s left')
  expect(paceAt(101_000)).toBe('event 101000 of 5001000, 10000 events/s, 9 min left')
  expect(createPace(5, 10, () => now)(5)).toBe('event 5 of 10')
})
