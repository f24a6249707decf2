import { HOUR_MS, type HourSum, type SummedSubject } from './hour-sums.ts'

/** Periods of a chart. */
export const SPANS = ['day', 'week', 'quarter', 'year'] as const
export type Span = (typeof SPANS)[number]

/** Of each span: how many bars, of how many days; 0: of an hour. */
const BARS = { day: [24, 0], week: [7, 1], quarter: [13, 7], year: [52, 7] } as const

/** The counts of a subject, in one bar after the other. */
export type SummedSeries = SummedSubject & {
  readonly succeeded: readonly number[]
  readonly failed: readonly number[]
}

/** When each bar begins, in ms since 1970, the current one last. Days begin at midnight in the zone of the gateway. */
export function barsOf(span: Span, now: number): number[] {
  const [count, days] = BARS[span]
  if (days === 0) {
    const current = Math.floor(now / HOUR_MS) * HOUR_MS
    return Array.from({ length: count }, (_, index) => current - (count - 1 - index) * HOUR_MS)
  }
  const today = new Date(now)
  // The last bar ends with today.
  const first = today.getDate() - (count * days - 1)
  return Array.from({ length: count }, (_, index) =>
    new Date(today.getFullYear(), today.getMonth(), first + index * days).getTime(),
  )
}

/** An hour belongs to the bar in which it begins; hours before the first bar are left out. */
export function seriesOf(bars: readonly number[], sums: readonly HourSum[]): SummedSeries[] {
  const bySubject = Map.groupBy(
    sums,
    ({ environment, kind, destinationId }) => `${environment} ${kind} ${destinationId}`,
  )
  return [...bySubject.values()].map((own) => {
    const [succeeded, failed] = [bars.map(() => 0), bars.map(() => 0)]
    for (const { hour, ...sum } of own) {
      const bar = bars.findLastIndex((begins) => begins <= hour)
      if (bar < 0) continue
      succeeded[bar] = (succeeded[bar] as number) + sum.succeeded
      failed[bar] = (failed[bar] as number) + sum.failed
    }
    const { hour: _hour, ...subject } = own[0] as HourSum
    return { ...subject, succeeded, failed }
  })
}
