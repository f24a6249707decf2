const UNITS: readonly (readonly [ms: number, unit: string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
]

/** How long ago a time of the API was, in its two largest units: `2 h 5 min`. The units are the same in every language. */
export function ageOf(iso: string, now = Date.now()): string {
  return spanText(now - Date.parse(iso))
}

/** @param ms negative: none */
export function spanText(ms: number): string {
  const at = UNITS.findIndex(([size]) => ms >= size)
  const [large, small] = [UNITS[at], UNITS[at + 1]]
  if (large === undefined) return '0 s'
  const count = Math.floor(ms / large[0])
  const rest = small === undefined ? 0 : Math.floor((ms - count * large[0]) / small[0])
  return `${count} ${large[1]}${rest > 0 && small !== undefined ? ` ${rest} ${small[1]}` : ''}`
}
