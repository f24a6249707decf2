import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  ATTEMPTS_MS,
  GIVING_UP_MS,
  lostIn,
  type RetrySchedule,
  type Span,
} from '../../../src/domain/reconcile/retry-windows.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

it('the schedules are those of the service', () => {
  expect(ATTEMPTS_MS.short.map((ms) => ms / MINUTE)).toEqual([0, 0, 5, 10, 15, 25, 45, 85, 165, 325])
  expect(ATTEMPTS_MS.long.map((ms) => ms / MINUTE)).toEqual([0, 5, 15, 35, 75, 155, 315, 635, 1275, 2555, 55_115])
  expect([GIVING_UP_MS.short, GIVING_UP_MS.long]).toEqual([325 * MINUTE, 55_115 * MINUTE])
})

it.each<[string, Span[], Span[]]>([
  ['nothing', [], []],
  ['a span that ends before it begins', [{ from: 9, through: 8 }], []],
  ['less than the schedule', [{ from: 0, through: 325 * MINUTE - 1 }], []],
  ['exactly the schedule', [{ from: 0, through: 325 * MINUTE }], [{ from: 0, through: 0 }]],
  ['ten hours', [{ from: HOUR, through: 11 * HOUR }], [{ from: HOUR, through: 11 * HOUR - 325 * MINUTE }]],
  [
    'two spans that touch',
    [
      { from: 4 * HOUR, through: 8 * HOUR },
      { from: 0, through: 4 * HOUR },
    ],
    [{ from: 0, through: 8 * HOUR - 325 * MINUTE }],
  ],
  [
    'two spans between which no attempt was made',
    [
      { from: 0, through: 4 * HOUR },
      { from: 6 * HOUR, through: 10 * HOUR },
    ],
    [{ from: 35 * MINUTE, through: 75 * MINUTE }],
  ],
])('the short schedule loses in %s', (_, spans, lost) => expect(lostIn(spans, 'short')).toEqual(lost))

it('the long schedule loses nothing in a month, and what is first sent in the beginning of two', () => {
  const days = (count: number) => [{ from: 0, through: count * 24 * HOUR }]
  expect(lostIn(days(30), 'long')).toEqual([])
  expect(lostIn(days(60), 'long')).toEqual([{ from: 0, through: 60 * 24 * HOUR - 55_115 * MINUTE }])
})

const spansOf = (longest: number) =>
  fc.array(
    fc
      .tuple(fc.integer({ min: 0, max: longest }), fc.integer({ min: 0, max: longest }))
      .map(([from, length]) => ({ from: from * MINUTE, through: (from + length) * MINUTE })),
    { maxLength: 6 },
  )

it.each<[RetrySchedule, number]>([
  ['short', 700],
  ['long', 30_000],
])('%s: a callback is lost if, and only if, each of its attempts fell into a span', (retries, longest) => {
  const callback = fc.integer({ min: -10, max: 2 * longest }).map((minutes) => minutes * MINUTE)
  fc.assert(
    fc.property(spansOf(longest), fc.array(callback, { minLength: 50, maxLength: 50 }), (spans, callbacks) => {
      const isIn = (time: number, all: readonly Span[]) => all.some((one) => one.from <= time && time <= one.through)
      const lost = lostIn(spans, retries)
      // Times around each end as well.
      const ends = [...lost, ...spans].flatMap(({ from, through }) => [from - 1, from, through, through + 1])
      for (const first of [...callbacks, ...ends]) {
        const isLost = ATTEMPTS_MS[retries].every((afterMs) => isIn(first + afterMs, spans))
        expect(isIn(first, lost)).toBe(isLost)
      }
      for (const [at, span] of lost.entries())
        expect((lost[at - 1]?.through ?? Number.NEGATIVE_INFINITY) < span.from).toBe(true)
    }),
    { numRuns: 300 },
  )
})
