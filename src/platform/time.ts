/** ISO 8601 in UTC, from milliseconds since 1970. */
export function iso(time: number): string {
  return new Date(time).toISOString()
}

export function isoOrNull(time: number | null): string | null {
  return time === null ? null : iso(time)
}

/** Reads ISO 8601, a date or a date and time with an offset or Z, as milliseconds since 1970; null: the text is something else. */
export function parseTime(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text)) return null
  const time = Date.parse(text)
  return Number.isNaN(time) || !isDay(text.slice(0, 10)) ? null : time
}

/** Date.parse takes the 31st of February for the 3rd of March. */
function isDay(text: string): boolean {
  return new Date(text).toISOString().startsWith(text)
}
