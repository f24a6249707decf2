import { expect, test } from 'vitest'
import { termsOf } from '../../../src/domain/search/terms.ts'
import { isFound } from '../../support/search-callbacks.ts'

const termsIn = (text: string) =>
  termsOf({ body: Buffer.from(JSON.stringify({ texto: text })), contentType: null, subject: null }, { exclude: [] })
const finds = (typed: string, text: string) => isFound(typed, termsIn(text))

const AMOUNTS = ['R$ 2 345,67', 'R$\u00a02\u00a0345,67', 'r$2\u202f345,67', '2 345,67', '2.345,67', '2345.67']

test.each(AMOUNTS)('an amount in a text, written %s, is found by every way to type it', (text) => {
  for (const typed of AMOUNTS)
    expect([typed, finds(typed, `pagou ${text} hoje`), finds(typed, text)]).toEqual([typed, true, true])
  expect(finds('2 345,68', text)).toBe(false)
  expect(finds('12 345,67', text)).toBe(false)
})

test('thousands apart in millions, and whole behind a currency, are one amount', () => {
  expect(finds('R$ 1 234 567,89', 'total 1.234.567,89')).toBe(true)
  expect(finds('1.234.567,89', 'total R$ 1 234 567,89')).toBe(true)
  expect(finds('R$ 2 345', 'total R$ 2345')).toBe(true)
  expect(finds('2345,00', 'total R$ 2 345')).toBe(true)
})

test('numbers that stand beside an amount stay findable alone', () => {
  const text = 'pedido 12 345,67'
  expect(['345,67', '12', '12.345,67'].filter((typed) => !finds(typed, text))).toEqual([])
  expect(finds('345,67', 'lote 021 345,67')).toBe(true)
  expect(finds('21.345,67', 'lote 021 345,67')).toBe(false)
})

const PHONES = ['(0xx21) 98765-4321', '0xx21 98765-4321', '0XX 21 98765 4321', '0xx(21) 98765-4321', '0xx21987654321']
const OTHER_PHONES = ['(21) 98765-4321', '+55 21 98765-4321', '021 98765-4321', '5521987654321', '21987654321']

test.each([...PHONES, ...OTHER_PHONES])('a phone number written %s is found by every way to type it', (text) => {
  for (const typed of [...PHONES, ...OTHER_PHONES]) expect([typed, finds(typed, text)]).toEqual([typed, true])
  expect(finds('(0xx21) 98765-4322', text)).toBe(false)
})

test('an area code behind an open carrier is found alone', () => {
  expect(finds('0xx21', 'ligue (0xx21) 98765-4321')).toBe(true)
  expect(finds('0xx11', 'ligue (0xx21) 98765-4321')).toBe(false)
})

test('an id with xx inside stays as it is', () => {
  for (const id of ['pedido0xx21', '0xx21abc', 'a-0xx21z9', '0xx210000']) expect(finds(id, id)).toBe(true)
})
