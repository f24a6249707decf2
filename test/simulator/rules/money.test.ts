import fc from 'fast-check'
import { expect, it } from 'vitest'
import { centsOf, decimalOf } from '../../../src/simulator/rules/money.ts'

it.each([
  [0, '0.00'],
  [5, '0.05'],
  [50, '0.50'],
  [15010, '150.10'],
  [24900000, '249000.00'],
])('%i cents are %s', (cents, text) => {
  expect([decimalOf(cents), centsOf(text)]).toEqual([text, cents])
})

it('every amount is the same after there and back', () => {
  fc.assert(fc.property(fc.maxSafeNat(), (cents) => centsOf(decimalOf(cents)) === cents))
})

it.each(['', '1', '1.5', '1.505', '1,50', '.50', '01.50', '-1.50', '+1.50', ' 1.50', '1.50 ', '1e2.00'])(
  '%j is no amount',
  (text) => {
    expect(centsOf(text)).toBeNull()
  },
)

it('an amount above what a number holds exactly is no amount', () => {
  expect(centsOf('90071992547409.91')).toBe(Number.MAX_SAFE_INTEGER)
  expect(centsOf('90071992547409.92')).toBeNull()
})

it.each([-1, 0.5, Number.NaN, 2 ** 53])('%d is no number of cents', (cents) => {
  expect(() => decimalOf(cents)).toThrow(RangeError)
})
