import { expect, test } from 'vitest'
import { parseSearch, type SearchWord } from '../../../src/domain/search/search-query.ts'

const prefix = (text: string) => ({ text, isPrefix: true })
const whole = (text: string) => ({ text, isPrefix: false })
const terms = (...alternatives: { text: string; isPrefix: boolean }[][]): SearchWord => ({
  kind: 'terms',
  alternatives,
})
const wordsOf = (text: string) => parseSearch(text).words
const mistakeOf = (text: string) => expect(() => parseSearch(text))

test('A word of four characters matches as a prefix, a shorter one whole, without accents and case', () => {
  expect(wordsOf('  JOÃO da\tSílva ')).toEqual([
    terms([prefix('joao')]),
    terms([whole('da')]),
    terms([prefix('silva')]),
  ])
})

test('A word with punctuation matches without it, or by its parts', () => {
  expect(wordsOf('joao.silva@example.com')).toEqual([
    terms([prefix('joaosilvaexamplecom')], [prefix('joao'), prefix('silva'), prefix('example'), whole('com')]),
  ])
  expect(wordsOf('123.456.789-00')).toEqual([terms([prefix('12345678900')])])
  expect(wordsOf('12.345.678/0001-99')).toEqual(wordsOf('12345678000199'))
})

test('An account with a digit behind a hyphen is not found by the account alone', () => {
  expect(wordsOf('conta-6')).toEqual([terms([prefix('conta6')])])
})

test.each(['150.10', '150,10', 'R$ 150,10', 'R$150.10', 'r$\u00a0150,10', '-150.10', '(150,10)', 'R$ -150,10'])(
  '%s is an amount and nothing else',
  (text) => {
    expect(wordsOf(text)).toEqual([terms([whole('¤15010')])])
  },
)

test('Thousands are separated by points or by commas', () => {
  expect(wordsOf('1.234,56 1,234.56 1.234.567,8 R$ 1.234')).toEqual([
    terms([whole('¤123456')]),
    terms([whole('¤123456')]),
    terms([prefix('12345678')], [whole('¤123456780')]),
    terms([whole('¤123400')], [whole('1234'), whole('r')], [whole('1234'), whole('reais')]),
  ])
})

test('What may be an amount or something else matches as both; digits alone are no amount, except behind R$', () => {
  expect(wordsOf('150.1')).toEqual([terms([prefix('1501')], [whole('¤15010')])])
  expect(wordsOf('00190.00')).toEqual([terms([prefix('0019000')], [whole('¤19000')])])
  expect(wordsOf('1.500')).toEqual([terms([prefix('1500')], [whole('¤150000')])])
  expect(wordsOf('150')).toEqual([terms([whole('150')])])
  expect(wordsOf('R$ 150')).toEqual([terms([whole('¤15000')], [whole('150')])])
  expect(wordsOf('R$ 1.500')).toEqual([
    terms([whole('¤150000')], [whole('1500'), whole('r')], [whole('1500'), whole('reais')]),
  ])
  expect(wordsOf('R$ 5x')).toEqual([terms([whole('5x')])])
})

test('Neighbouring words of digits match joined, too', () => {
  expect(wordsOf('(11) 98765-4321')).toEqual([
    terms(
      [whole('11'), prefix('987654321')],
      ...[[prefix('11987654321')], [whole('11987654321')], [whole('5511987654321')], [whole('987654321')]],
    ),
  ])
  expect(wordsOf('12 34')).toEqual([terms([whole('12')]), terms([whole('34')])])
})

test('The beginning of an event id means a range of positions, the random part one event', () => {
  const [word] = wordsOf('evt_1a')
  expect(word).toMatchObject({ kind: 'positions', noncePrefix: null })
  expect(word?.kind === 'positions' && word.ranges.slice(0, 3)).toEqual([
    { from: 46, to: 46 },
    { from: 46 * 36, to: 46 * 36 + 35 },
    { from: 46 * 1296, to: 47 * 1296 - 1 },
  ])
  const one = { kind: 'positions', ranges: [{ from: 46, to: 46 }] }
  expect(wordsOf('EVT_1A_')).toEqual([{ ...one, noncePrefix: null }])
  expect(wordsOf('"evt_1a_x9",')).toEqual([{ ...one, noncePrefix: 'x9' }])
  expect(wordsOf('https://gateway.example:8080/ui/events/evt_1a_x9?from=find')).toEqual([{ ...one, noncePrefix: 'x9' }])
})

test('The ranges of an id end at the largest safe integer', () => {
  const [word] = wordsOf('evt_zzzzzzzzz')
  expect(
    word?.kind === 'positions' && word.ranges.every(({ from, to }) => from <= to && Number.isSafeInteger(to)),
  ).toBe(true)
})

test('The beginning of a delivery id means a range of numbers', () => {
  const [word] = wordsOf('dlv_12')
  expect(word?.kind === 'deliveries' && word.ranges.slice(0, 2)).toEqual([
    { from: 12, to: 12 },
    { from: 120, to: 129 },
  ])
})

test('What only looks like an id is a word', () => {
  expect(wordsOf('evt_1NG8Du2eZvKYlo2CUI79vXWy')[0]?.kind).toBe('terms')
  expect(wordsOf('evt_ dlv_ dlv_0 evt_0').map(({ kind }) => kind)).toEqual(['terms', 'terms', 'terms', 'terms'])
})

test('A text without letters and digits, a long one and one of many words are refused with what to do', () => {
  mistakeOf(' R$ -- ').toThrow(/no letter and no digit: type a value of the payload/)
  mistakeOf('').toThrow(/no letter and no digit/)
  mistakeOf('x'.repeat(201)).toThrow(/201 characters: type at most 200/)
  mistakeOf('a b c d e f g h i j k').toThrow(/11 words: type at most 10/)
  expect(wordsOf('x'.repeat(200))).toEqual([terms([prefix('x'.repeat(64))])])
})

test('A query passes to other threads', () => {
  const query = parseSearch('João evt_1a dlv_7 150,10')
  expect(structuredClone(query)).toEqual(query)
})
