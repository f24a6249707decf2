import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decimalOf } from '../../src/rules/money.ts'

it.each([
  [0, '0.00'],
  [5, '0.05'],
  [50, '0.50'],
  [15010, '150.10'],
  [24900000, '249000.00'],
])('%i cents are %s', (cents, text) => {
  expect(decimalOf(cents)).toBe(text)
})

it('every amount has two decimals, and its digits are the cents', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (cents) => {
      const text = decimalOf(cents)
      return /^(0|[1-9]\d*)\.\d{2}$/.test(text) && Number(text.replace('.', '')) === cents
    }),
  )
})

it.each([-1, 0.5, Number.NaN, 2 ** 53])('%d is no number of cents', (cents) => {
  expect(() => decimalOf(cents)).toThrow(RangeError)
})
