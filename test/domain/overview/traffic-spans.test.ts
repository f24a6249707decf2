import { expect, it } from 'vitest'
import type { HourSum } from '../../../src/domain/overview/hour-sums.ts'
import { barsOf, SPANS, seriesOf } from '../../../src/domain/overview/traffic-spans.ts'

const HOUR = 3_600_000
const NOW = new Date(2026, 10, 22, 15, 20).getTime()
const PAYMENT = { environment: 'production', kind: 'payment', destinationId: null } as const
const BOOKS = { environment: null, kind: null, destinationId: 7 } as const

it('a day has 24 hours, the current one last', () => {
  const bars = barsOf('day', NOW)
  expect([bars.length, bars[0], bars.at(-1)]).toEqual([
    24,
    (bars.at(-1) as number) - 23 * HOUR,
    Math.floor(NOW / HOUR) * HOUR,
  ])
})

it.each([
  ['week', 7, 1],
  ['quarter', 13, 7],
  ['year', 52, 7],
] as const)('a %s has %i bars of %i days that begin at midnight, and ends with today', (span, count, days) => {
  const bars = barsOf(span, NOW)
  expect(bars).toHaveLength(count)
  expect(bars.map((begins) => new Date(begins).getHours())).toEqual(bars.map(() => 0))
  expect(bars.at(-1)).toBe(new Date(2026, 10, 22 - days + 1).getTime())
  expect(bars[0]).toBe(new Date(2026, 10, 22 - count * days + 1).getTime())
})

it('every hour of a span belongs to one bar, and earlier ones to none', () => {
  for (const span of SPANS) {
    const bars = barsOf(span, NOW)
    const first = Math.ceil((bars[0] as number) / HOUR) * HOUR
    const hours = Array.from({ length: Math.ceil((NOW - first) / HOUR) }, (_, index) => first + index * HOUR)
    const sums = [first - HOUR, ...hours].map((hour): HourSum => ({ ...PAYMENT, hour, succeeded: 1, failed: 2 }))
    const [series] = seriesOf(bars, sums)
    expect(series?.succeeded.reduce((sum, count) => sum + count, 0)).toBe(hours.length)
    expect(series?.failed).toEqual(series?.succeeded.map((count) => 2 * count))
  }
})

it('each kind and each destination has numbers of its own', () => {
  const bars = [0, HOUR]
  const sums: HourSum[] = [
    { ...PAYMENT, hour: 0, succeeded: 3, failed: 0 },
    { ...BOOKS, hour: HOUR, succeeded: 1, failed: 4 },
    { ...PAYMENT, environment: 'bank-a/production', hour: HOUR, succeeded: 5, failed: 0 },
    { ...PAYMENT, hour: HOUR, succeeded: 2, failed: 1 },
  ]
  expect(seriesOf(bars, sums)).toEqual([
    { ...PAYMENT, succeeded: [3, 2], failed: [0, 1] },
    { ...BOOKS, succeeded: [0, 1], failed: [0, 4] },
    { ...PAYMENT, environment: 'bank-a/production', succeeded: [0, 5], failed: [0, 0] },
  ])
})
