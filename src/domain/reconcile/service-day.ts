/** Where the service counts its days (service-decisions.md, time zone of cut-offs). */
const ZONE = 'America/Sao_Paulo'

// The form of this locale is that of ISO 8601.
const FORMAT = new Intl.DateTimeFormat('sv-SE', { timeZone: ZONE, dateStyle: 'short', timeStyle: 'medium' })

/** A time as the service writes it in entries, `2026-03-04 10:15:00`. @param time in ms since 1970 */
export function serviceTime(time: number): string {
  return FORMAT.format(time)
}

/** The local day of the service, `2026-03-04`. @param time in ms since 1970 */
export function serviceDay(time: number): string {
  return serviceTime(time).slice(0, 10)
}

/** @param days negative: before it */
export function dayBehind(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
}

/** How many days a period has whose ends both belong to it. */
export function daysOf(first: string, last: string): number {
  return Math.round((Date.parse(`${last}T00:00:00Z`) - Date.parse(`${first}T00:00:00Z`)) / 86_400_000) + 1
}

/**
 * The local day of the service of a time in its callbacks or answers, with or without Z; null: it is none. Without an offset it is local time
 * (service-decisions.md, payment callback).
 */
export function dayOfServiceTime(text: unknown): string | null {
  if (typeof text !== 'string' || !/^\d{4}-\d{2}-\d{2}/.test(text)) return null
  if (!/(Z|[+-]\d{2}:?\d{2})$/i.test(text)) return text.slice(0, 10)
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : serviceDay(time)
}

/** In ms since 1970. The zone has had no summer time since 2019. */
export function startOfServiceDay(day: string): number {
  return Date.parse(`${day}T00:00:00-03:00`)
}
