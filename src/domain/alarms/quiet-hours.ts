/** From one time of day to another one, over midnight where the second is earlier, as the clocks of a time zone show it. */
export interface QuietHours {
  /** Minutes since midnight. */
  readonly fromMinute: number
  readonly toMinute: number
  /** IANA name, such as America/Sao_Paulo. */
  readonly timeZone: string
}

const MINUTE_MS = 60_000
const DAY_MINUTES = 24 * 60

/** Both ends are those that the clocks on the wall show: where the clocks change within them, the hours are longer or shorter. */
export function isQuiet({ fromMinute, toMinute, timeZone }: QuietHours, now: number): boolean {
  const minute = minuteOfDay(now, timeZone)
  return fromMinute <= toMinute ? minute >= fromMinute && minute < toMinute : minute >= fromMinute || minute < toMinute
}

/**
 * When the latest quiet hours ended, to the minute; null while they last. Looks for the change from quiet to not quiet, so that a time of day
 * which a change of clocks leaves out or repeats needs no rule.
 */
export function lastEndOf(quiet: QuietHours, now: number): number | null {
  if (isQuiet(quiet, now)) return null
  const thisMinute = now - (now % MINUTE_MS)
  const sinceEnd = (minuteOfDay(now, quiet.timeZone) - quiet.toMinute + DAY_MINUTES) % DAY_MINUTES
  // From so much later on as a change of clocks may have moved it.
  for (let back = Math.max(0, sinceEnd - MOST_CHANGE); back <= DAY_MINUTES + MOST_CHANGE; back++) {
    const at = thisMinute - back * MINUTE_MS
    if (isQuiet(quiet, at - MINUTE_MS)) return at
  }
  return null
}

/** No clock is changed by more, in minutes. */
const MOST_CHANGE = 120

/** Making one takes long. */
const formats = new Map<string, Intl.DateTimeFormat>()

function minuteOfDay(time: number, timeZone: string): number {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  formats.set(timeZone, format)
  const [hour = 0, minute = 0] = format.format(time).split(':').map(Number)
  return hour * 60 + minute
}
