import { z } from 'zod'
import { addDays, type CalendarDate, LAST_DATE } from './calendar-date.ts'

const DAY_MS = 86_400_000
const formats = new Map<string, Intl.DateTimeFormat>()

/**
 * The local date and time of an instant, `YYYY-MM-DD HH:MM:SS`. Such texts compare in the order of their times.
 * @param instant ms since 1970 @param zone IANA time zone
 */
export function localDateTime(instant: number, zone: string): string {
  // Swedish is written like that.
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('sv-SE', { ...NUMERIC, timeZone: zone })
  formats.set(zone, format)
  // Years before 1000 have fewer digits.
  return format.format(instant).padStart(LENGTH, '0')
}

const LENGTH = 'YYYY-MM-DD HH:MM:SS'.length
const NUMERIC = { dateStyle: 'short', timeStyle: 'medium' } as const

/** The local date of an instant. */
export function localDate(instant: number, zone: string): CalendarDate {
  return localDateTime(instant, zone).slice(0, 10)
}

/**
 * The instant of a local time `HH:MM:SS`, in ms since 1970.
 * Of a time that a change of clocks repeats, the first instant; a time that a change leaves out is as much later as the clocks moved.
 */
export function instantOf(date: CalendarDate, time: string, zone: string): number {
  const asUtc = Date.parse(`${date}T${time}Z`)
  const before = asUtc - offsetOf(asUtc - DAY_MS, zone)
  const after = asUtc - offsetOf(asUtc + DAY_MS, zone)
  return [before, after].find((instant) => localDateTime(instant, zone) === `${date} ${time}`) ?? before
}

/** The first instant after a local day, in ms since 1970; after the calendar's last day, a number above every instant. */
export function endOfDay(date: CalendarDate, zone: string): number {
  if (date === LAST_DATE) return Number.MAX_SAFE_INTEGER
  return instantOf(addDays(date, 1), '00:00:00', zone)
}

/** Local time minus UTC, in ms. */
function offsetOf(instant: number, zone: string): number {
  return Date.parse(`${localDateTime(instant, zone).replace(' ', 'T')}Z`) - Math.floor(instant / 1000) * 1000
}

export const localTime = z.string().regex(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/)
