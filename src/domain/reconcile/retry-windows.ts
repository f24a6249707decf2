/** The service's schedules of retries (service-decisions.md, the service's retries). */
export const RETRY_SCHEDULES = ['short', 'long'] as const
export type RetrySchedule = (typeof RETRY_SCHEDULES)[number]

const MINUTE_MS = 60_000

/** Minutes from each attempt to the next one. */
const MINUTES_BETWEEN: Readonly<Record<RetrySchedule, readonly number[]>> = {
  short: [0, 5, 5, 5, 10, 20, 40, 80, 160],
  long: [5, 10, 20, 40, 80, 160, 320, 640, 1280, 52_560],
}

/** When the attempts of a callback are made, in ms after the first one, which is the first of them. */
export const ATTEMPTS_MS: Readonly<Record<RetrySchedule, readonly number[]>> = {
  short: attemptsOf(MINUTES_BETWEEN.short),
  long: attemptsOf(MINUTES_BETWEEN.long),
}

/** From the first attempt to the last one. */
export const GIVING_UP_MS: Readonly<Record<RetrySchedule, number>> = {
  short: Math.max(...ATTEMPTS_MS.short),
  long: Math.max(...ATTEMPTS_MS.long),
}

/** A span of time whose ends both belong to it, in ms since 1970. */
export interface Span {
  readonly from: number
  readonly through: number
}

/**
 * When callbacks were first sent whose attempts all fell into these spans: so the service gives them up. Sorted, and apart from each other. A callback may
 * fall into two outages, if no attempt of it came between them.
 */
export function lostIn(closed: readonly Span[], retries: RetrySchedule): Span[] {
  const spans = joined(closed)
  return ATTEMPTS_MS[retries].reduce<Span[]>(
    (lost, afterMs) =>
      common(
        lost,
        spans.map(({ from, through }) => ({ from: from - afterMs, through: through - afterMs })),
      ),
    spans,
  )
}

function attemptsOf(minutes: readonly number[]): number[] {
  let afterMs = 0
  return [0, ...minutes.map((between) => (afterMs += between * MINUTE_MS))]
}

function joined(spans: readonly Span[]): Span[] {
  const apart: Span[] = []
  for (const span of spans.filter(({ from, through }) => from <= through).sort((one, two) => one.from - two.from)) {
    const last = apart.at(-1)
    if (last === undefined || last.through < span.from) apart.push(span)
    else apart.splice(-1, 1, { from: last.from, through: Math.max(last.through, span.through) })
  }
  return apart
}

/** Times that are in both lists. */
function common(one: readonly Span[], two: readonly Span[]): Span[] {
  return one.flatMap((span) =>
    two.flatMap((other) => {
      const from = Math.max(span.from, other.from)
      const through = Math.min(span.through, other.through)
      return from <= through ? [{ from, through }] : []
    }),
  )
}
