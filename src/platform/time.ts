/** ISO 8601 in UTC, from milliseconds since 1970. */
export function iso(time: number): string {
  return new Date(time).toISOString()
}

export function isoOrNull(time: number | null): string | null {
  return time === null ? null : iso(time)
}

/** A time in UTC within a text, as `iso` writes it, also to the minute. */
export const TIMES_IN_TEXT = /(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z)/

/** The forms that `parseTime` reads, for error texts. */
export const TIME_FORMS = 'an RFC 3339 time such as 2026-01-31T12:00:00Z or 2026-01-31T09:00:00-03:00'

/**
 * Reads RFC 3339, whose T may be a space and whose letters may be small, also without seconds, and a date alone, which is midnight UTC.
 * In milliseconds since 1970; null: the text is something else.
 */
export function parseTime(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/i.test(text)) return null
  const time = Date.parse(text.toUpperCase().replace(' ', 'T'))
  return Number.isNaN(time) || !isDay(text.slice(0, 10)) ? null : time
}

/** Date.parse takes the 31st of February for the 3rd of March. */
function isDay(text: string): boolean {
  return new Date(text).toISOString().startsWith(text)
}
