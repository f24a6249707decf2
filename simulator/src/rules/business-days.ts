import { addDays, type CalendarDate, weekdayOf } from './calendar-date.ts'

/** Days of the year without banking, as `MM-DD`, with the first year in which they are holidays. */
const FIXED: readonly (readonly [string, number])[] = [
  ['01-01', 0],
  ['04-21', 0],
  ['05-01', 0],
  ['09-07', 0],
  ['10-12', 0],
  ['11-02', 0],
  ['11-15', 0],
  // Law 14.759 of 2023.
  ['11-20', 2024],
  ['12-25', 0],
]

/** Days from Easter: Monday and Tuesday of carnival, Good Friday, Corpus Christi. */
const MOVABLE = [-48, -47, -2, 60] as const

/**
 * Whether banks settle payments on a day: Monday to Friday without the national holidays, as in the calendar of ANBIMA.
 * That calendar counts 31 December as a business day, and knows no holidays of states and cities.
 */
export function isBusinessDay(date: CalendarDate): boolean {
  const weekday = weekdayOf(date)
  return weekday !== 0 && weekday !== 6 && !isHoliday(date)
}

/** The day itself if it is a business day, or else the first one after it. */
export function nextBusinessDay(date: CalendarDate): CalendarDate {
  let day = date
  while (!isBusinessDay(day)) day = addDays(day, 1)
  return day
}

/** National holidays, those on which banks do not settle included. */
export function isHoliday(date: CalendarDate): boolean {
  const year = Number(date.slice(0, 4))
  if (FIXED.some(([day, since]) => date.endsWith(day) && year >= since)) return true
  const easter = easterOf(year)
  return MOVABLE.some((days) => addDays(easter, days) === date)
}

/** Easter Sunday of the Gregorian calendar (the algorithm of Meeus, Jones and Butcher). */
export function easterOf(year: number): CalendarDate {
  const golden = year % 19
  const century = Math.floor(year / 100)
  const yearOfCentury = year % 100
  const lunar = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3)
  const epact = (19 * golden + century - Math.floor(century / 4) - lunar + 15) % 30
  const toSunday = (32 + 2 * (century % 4) + 2 * Math.floor(yearOfCentury / 4) - epact - (yearOfCentury % 4)) % 7
  const late = Math.floor((golden + 11 * epact + 22 * toSunday) / 451)
  const fullMoon = epact + toSunday - 7 * late + 114
  const month = Math.floor(fullMoon / 31)
  const day = (fullMoon % 31) + 1
  return `${String(year).padStart(4, '0')}-0${month}-${String(day).padStart(2, '0')}`
}
