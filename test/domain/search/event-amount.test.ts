import { expect, it } from 'vitest'
import { amountIn } from '../../../src/domain/search/event-amount.ts'
import { CALLBACK_TEXTS, type CallbackKind } from '../../support/search-callbacks.ts'

it.each([
  ['registration', null],
  ['payment', '150.10'],
  ['charge', '150.10'],
  ['openBanking', '1234.56'],
  ['instantPayment', '99.90'],
] as const)('The amount of a callback of kind %s is %s', (kind: CallbackKind, expected) => {
  expect(amountIn({ kind, data: JSON.parse(CALLBACK_TEXTS[kind]) })).toBe(expected)
})

it.each([
  ['charge', { data: [{ value: 5 }] }, '0.05'],
  ['payment', [{ valor: '-7.00' }], '-7.00'],
  ['payment', { pix: [{ valor: '1.00' }, { valor: '2.00' }] }, null],
  ['payment', { pix: { valor: '12.34' } }, '12.34'],
  ['payment', { tarifa: { valor: '1.00' }, pix: [{ valor: '12.34' }] }, '12.34'],
  ['payment', { valor: 15010 }, null],
  ['payment', { valor: 150.1 }, '150.10'],
  ['payment', { valor: 0.125 }, '0.125'],
  ['payment', { valor: 0.000001 }, '0.000001'],
  ['payment', { valor: 1e-7 }, null],
  ['payment', { valor: -1.5e-7 }, null],
  ['payment', JSON.parse('{"valor":1e30}'), null],
  ['payment', '150.10', null],
  ['charge', null, null],
])('The amount of %s %j is %s', (kind, data, expected) => {
  expect(amountIn({ kind, data })).toBe(expected)
})
