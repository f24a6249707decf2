const DAY_MS = 86_400_000

/** A day of the calendar, `YYYY-MM-DD`. Such texts compare in the order of their days. */
export type CalendarDate = string

/** Whether `text` is a day of the calendar: `2026-02-29` is not. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const ms = Date.parse(`${text}T00:00:00Z`)
  // Date.parse takes 31 February as a day of March.
  return Number.isFinite(ms) && new Date(ms).toISOString().startsWith(text)
}

/** Days since 1970-01-01. RangeError for a text that is no day of the calendar. */
export function dayNumberOf(date: CalendarDate): number {
  if (!isCalendarDate(date)) throw new RangeError(`${JSON.stringify(date)} is no date of the form YYYY-MM-DD.`)
  return Date.parse(`${date}T00:00:00Z`) / DAY_MS
}

/** The inverse of `dayNumberOf`. */
export function dateOfDay(dayNumber: number): CalendarDate {
  return new Date(dayNumber * DAY_MS).toISOString().slice(0, 10)
}

export function addDays(date: CalendarDate, days: number): CalendarDate {
  return dateOfDay(dayNumberOf(date) + days)
}

/** 0 Sunday to 6 Saturday. */
export function weekdayOf(date: CalendarDate): number {
  return new Date(dayNumberOf(date) * DAY_MS).getUTCDay()
}

/** The same day of another month; where that month is too short, its last day. */
export function addMonths(date: CalendarDate, months: number): CalendarDate {
  const [year, month, day] = date.split('-').map(Number) as [number, number, number]
  const lastDay = new Date(Date.UTC(year, month - 1 + months + 1, 0)).getUTCDate()
  return dateOfDay(Date.UTC(year, month - 1 + months, Math.min(day, lastDay)) / DAY_MS)
}

/** The calendar's last day, which integrators use for dates without an end. */
export const LAST_DATE: CalendarDate = '9999-12-31'

/** The same day some months later, as `addMonths` says; at the latest the calendar's last day. */
export function laterBy(date: CalendarDate, months: number): CalendarDate {
  const [year, month] = date.split('-').map(Number) as [number, number]
  return year * 12 + month + months > 9999 * 12 + 12 ? LAST_DATE : addMonths(date, months)
}
