/** The parsed value, or the problem in words. */
export type Reading<T> = { readonly value: T } | { readonly problem: string }

/** The configured space to keep free: a size, or a share of the file system. */
export type MinFreeSpace = { readonly bytes: number } | { readonly share: number }

const DURATION_UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const SIZE_UNITS: Record<string, number> = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }

/** `500ms`, `10s`, `2m`, `12h`, `30d` in ms. A plain number has no unit and is refused, except 0. */
export function readDuration(value: unknown): Reading<number> {
  if (value === 0 || value === '0') return { value: 0 }
  if (isPlainNumber(value))
    return { problem: `has no unit: write for example "${value}s" for seconds or "${value}ms" for milliseconds` }
  return readUnit(value, DURATION_UNITS, 'must be a duration such as 500ms, 10s, 2m, 12h or 30d')
}

/** Seconds such as `40` or `1.5`, or a duration such as `40s` or `2m`, in ms; 0: it is neither. */
export function readSeconds(text: string): number {
  const [, number = '0', unit = 's'] = /^(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|d)?$/.exec(text) ?? []
  return Math.round(Number(number) * (DURATION_UNITS[unit] ?? 0))
}

/** The duration in the largest unit that fits. */
export function durationText(ms: number): string {
  const [unit, size] = Object.entries(DURATION_UNITS).findLast(([, size]) => ms % size === 0 && ms >= size) ?? ['ms', 1]
  return `${ms / size}${unit}`
}

/** `16KiB`, `1MiB` in bytes. */
export function readSize(value: unknown): Reading<number> {
  if (isPlainNumber(value))
    return { problem: `has no unit: write for example "${value}B" for bytes or "${value}KiB" for 1024 bytes each` }
  return readUnit(value, SIZE_UNITS, 'must be a size such as 512B, 16KiB, 1MiB or 1GiB')
}

const RESERVE_EXPECTED = 'must be a percentage such as 2%, or a size such as 64MiB'

/** A size such as `64MiB`, or a percentage of the file system such as `2%`. */
export function readMinFreeSpace(value: unknown): Reading<MinFreeSpace> {
  if (typeof value === 'string' && value.endsWith('%')) {
    const reading = readShare(value)
    return 'value' in reading ? { value: { share: reading.value } } : { problem: RESERVE_EXPECTED }
  }
  if (isPlainNumber(value)) return { problem: `has no unit: write for example "${value}%" or "${value}MiB"` }
  const reading = readSize(value)
  if ('value' in reading) return { value: { bytes: reading.value } }
  return { problem: RESERVE_EXPECTED }
}

/** A share of 1: a number from 0 to 1, or a percentage such as `20%`. */
export function readShare(value: unknown): Reading<number> {
  const percent = typeof value === 'string' ? /^([0-9]{1,3}(?:\.[0-9]+)?)%$/.exec(value) : null
  const share = percent === null ? value : Number(percent[1]) / 100
  if (typeof share !== 'number' || !(share >= 0 && share <= 1))
    return { problem: 'must be a number from 0 to 1, or a percentage such as 20%' }
  return { value: share }
}

function readUnit(value: unknown, units: Record<string, number>, expected: string): Reading<number> {
  const match = typeof value === 'string' ? /^([0-9]{1,9})([A-Za-z]+)$/.exec(value) : null
  const unit = match?.[2] === undefined ? undefined : units[match[2]]
  if (match === null || unit === undefined) return { problem: expected }
  return { value: Number(match[1]) * unit }
}

function isPlainNumber(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^[0-9]{1,15}$/.test(value))
}
