import { expect, it } from 'vitest'
import { daysLeft, warningDue } from '../../src/domain/expiry.ts'

const DAY = 86_400_000
const NOT_AFTER = Date.UTC(2027, 0, 31)

it.each([
  [45, null],
  [30.01, null],
  [30, 30],
  [14.5, 30],
  [14, 14],
  [7, 7],
  [3, 3],
  [1.5, 3],
  [1, 1],
  [0.01, 1],
  [0, 0],
  [-200, 0],
])('%d days before the end the warning is that of %s', (days, warning) => {
  expect(warningDue(NOT_AFTER, NOT_AFTER - days * DAY)).toBe(warning)
})

it('counts whole days, and below zero what has expired', () => {
  expect([30, 29.9, 0.5, 0, -0.5].map((days) => daysLeft(NOT_AFTER, NOT_AFTER - days * DAY))).toEqual([
    30, 29, 0, 0, -1,
  ])
})
