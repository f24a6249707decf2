import { type CalendarDate, dateOfDay, dayNumberOf } from './calendar-date.ts'

const EPOCH = dayNumberOf('1997-10-07')
/** Factors begin with 1000: a zero in front says that the barcode has no factor. */
const FIRST_FACTOR = 1000
const FACTORS = 9000
const FIRST_DATE = EPOCH + FIRST_FACTOR

/** The dates that a factor can mean on a day (FEBRABAN 082/2012): fewer than there are factors, so that they never overlap. */
export const DAYS_PAST = 3000
export const DAYS_AHEAD = 5500

/** What a due factor says on a day. */
export type DueDate =
  | { readonly kind: 'none' }
  | { readonly kind: 'date'; readonly date: CalendarDate }
  /** One of the 499 factors that are no date on this day: it lies further away than the rule allows. */
  | { readonly kind: 'outOfRange' }

/**
 * The due factor of a date, 1000 to 9999: the days from 1997-10-07, beginning again at 1000 on 2025-02-22 and every 9000 days after.
 * RangeError before 2000-07-03, the first date that has one.
 * A date more than 3000 days ago or more than 5500 days ahead has a factor, but `dueDateOf` reads another date or none out of it.
 */
export function dueFactorOf(date: CalendarDate): number {
  const days = dayNumberOf(date) - FIRST_DATE
  if (days < 0) throw new RangeError(`${date} has no due factor: the first one is that of 2000-07-03.`)
  return FIRST_FACTOR + (days % FACTORS)
}

/** Whether the factor of a date means this date on the day `today`: it does not when the date is too far away. */
export function isDueFactorDate(date: CalendarDate, today: CalendarDate): boolean {
  const ahead = dayNumberOf(date) - dayNumberOf(today)
  return dayNumberOf(date) >= FIRST_DATE && ahead >= -DAYS_PAST && ahead <= DAYS_AHEAD
}

/**
 * The date that a factor means on the day `today`: of its dates, the one from 3000 days before to 5500 days after (FEBRABAN 082/2012).
 * 0 is no due date, as are the other factors below 1000: a barcode whose factor begins with 0 has none (FEBRABAN's manual of the due factor).
 */
export function dueDateOf(factor: number, today: CalendarDate): DueDate {
  if (factor < FIRST_FACTOR) return { kind: 'none' }
  const now = dayNumberOf(today)
  const firstDay = EPOCH + factor
  const cycle = Math.max(0, Math.ceil((now - DAYS_PAST - firstDay) / FACTORS))
  const day = firstDay + cycle * FACTORS
  return day <= now + DAYS_AHEAD ? { kind: 'date', date: dateOfDay(day) } : { kind: 'outOfRange' }
}
