import { expect, it } from 'vitest'
import { CATALOGUES } from '../../src/messages/languages.ts'
import { sliceOf } from '../../src/pages/frame/list-slices.ts'
import { ageOf, spanText } from '../../src/pages/parts/age.ts'
import { typedTime } from '../../src/pages/parts/period.ts'
import { shortened } from '../../src/pages/parts/shortened-text.ts'

it.each([
  [-1, '0 s'],
  [999, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [3_665_000, '1 h 1 min'],
  [90_000_000, '1 d 1 h'],
  [400 * 86_400_000, '400 d'],
])('%i ms are %s', (ms, text) => {
  expect(spanText(ms)).toBe(text)
})

it('an age is the time since then', () => {
  expect(ageOf('2026-01-15T12:00:00Z', Date.UTC(2026, 0, 15, 14, 5))).toBe('2 h 5 min')
})

it.each([
  ['short', 'short'],
  ['twelve chars', 'twelve ch…'],
  ['\u202eevil', '\\u202eevil'],
  ['💸'.repeat(11), `${'💸'.repeat(9)}…`],
])('%j becomes %j in a table', (text, shown) => {
  expect(shortened(text, 10)).toBe(shown)
})

it.each([
  [null, null],
  [' ', null],
  ['2026-11-22T10:00:00-03:00', '2026-11-22T13:00:00.000Z'],
  ['soon', 'soon'],
])('a typed time %j goes to the API as %j', (text, time) => {
  expect(typedTime(text)).toBe(time)
})

it.each([
  ['', [1, 2], 'from=2'],
  ['from=2', [3, 4], 'from=4'],
  ['from=4', [5], 'href="/ui/x?set=a"'],
  ['from=99', [1, 2], 'from=2'],
  ['from=-1', [1, 2], 'from=2'],
  ['from=x', [1, 2], 'from=2'],
])('a list of five, %j: two at once, and links to the others', (from, items, link) => {
  const query = new URLSearchParams(`set=a&${from}`)
  const slice = sliceOf([1, 2, 3, 4, 5], { path: '/ui/x', size: 2, query, words: CATALOGUES.en })
  expect([slice.items, String(slice.pager)]).toEqual([items, expect.stringContaining(link)])
})
