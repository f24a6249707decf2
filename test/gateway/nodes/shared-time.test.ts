import { expect, it } from 'vitest'
import { createSharedTime } from '../../../src/gateway/nodes/shared-time.ts'

const OWN = 1_000_000

it('is the clock of the process until the database has told its own', () => {
  const time = createSharedTime(() => OWN)
  expect(time.now()).toBe(OWN)
  time.follow(OWN + 60_000, OWN, OWN + 4)
  expect(time.now()).toBe(OWN + 59_998)
  time.follow(OWN - 60_000, OWN, OWN)
  expect(time.now()).toBe(OWN - 60_000)
})

it('does not move for less than the uncertainty of a measurement', () => {
  const time = createSharedTime(() => OWN)
  time.follow(OWN + 250, OWN, OWN)
  time.follow(OWN + 1200, OWN, OWN + 2000)
  time.follow(OWN + 2250, OWN, OWN + 2000)
  expect(time.now()).toBe(OWN)
  time.follow(OWN + 2251, OWN, OWN + 2000)
  expect(time.now()).toBe(OWN + 1251)
})
