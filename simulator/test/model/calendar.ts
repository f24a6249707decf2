/** Days as `YYYY-MM-DD`. São Paulo has had three hours less than UTC since 2019. */
const DAY_MS = 86_400_000
const OFFSET_MS = 3 * 3_600_000

export const dateAt = (ms: number): string => new Date(ms - OFFSET_MS).toISOString().slice(0, 10)
export const midnightOf = (date: string): number => Date.parse(`${date}T00:00:00-03:00`)
export const plusDays = (date: string, days: number): string => dateAt(midnightOf(date) + days * DAY_MS)
export const secondOfDay = (ms: number): number => (ms - midnightOf(dateAt(ms))) / 1000
export const localTextOf = (ms: number): string => new Date(ms - OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ')

/** The same day of a later month, or the last day of that month. */
export function plusMonths(date: string, months: number): string {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number)
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate()
  return new Date(Date.UTC(year, month - 1 + months, Math.min(day, last))).toISOString().slice(0, 10)
}

const FIXED = ['01-01', '04-21', '05-01', '09-07', '10-12', '11-02', '11-15', '11-20', '12-25']

function easterOf(year: number): string {
  const [a, b, c] = [year % 19, Math.floor(year / 100), year % 100]
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7
  const m = Math.floor((a + 11 * h + 22 * l) / 451)
  const n = h + l - 7 * m + 114
  return new Date(Date.UTC(year, Math.floor(n / 31) - 1, (n % 31) + 1)).toISOString().slice(0, 10)
}

/** Carnival, Good Friday and Corpus Christi, in days from Easter. */
const MOVABLE = [-48, -47, -2, 60]

export function isBusinessDay(date: string): boolean {
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay()
  const easter = easterOf(Number(date.slice(0, 4)))
  const isHoliday = FIXED.includes(date.slice(5)) || MOVABLE.some((days) => plusDays(easter, days) === date)
  return weekday !== 0 && weekday !== 6 && !isHoliday
}

export function nextBusinessDay(date: string): string {
  return isBusinessDay(date) ? date : nextBusinessDay(plusDays(date, 1))
}
