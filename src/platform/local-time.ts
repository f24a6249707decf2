import { parseTime } from './time.ts'

/** A time as people typed it, in ms since 1970, or the reason why it is none. */
export type LocalReading = { readonly value: number } | { readonly problem: string }

const FORMS = 'a time such as "2026-11-22 10:00", 2026-11-22 or 2026-11-22T10:00:00-03:00'
const WRITTEN = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?)?$/i

/**
 * Reads RFC 3339, and the same with a space, without seconds, without an offset, or a date alone. Without an offset it is local time (`TZ`);
 * a date alone is the first moment of that day. A local time that the change of clocks leaves out, or that occurs twice, is a problem that
 * names the choices: a guess would move the edge of a period by an hour.
 */
export function readLocalTime(text: string): LocalReading {
  const [, day, clock, offset] = WRITTEN.exec(text) ?? []
  if (day === undefined) return { problem: `must be ${FORMS}` }
  const wall = parseTime(`${day}T${clock ?? '00:00'}Z`)
  if (wall === null) return { problem: 'is not in the calendar' }
  if (offset !== undefined) return readingOf(parseTime(`${day}T${clock}${offset.toUpperCase()}`))
  const found = momentsOf(wall)
  if (clock === undefined) return { value: found[0] ?? firstMomentAfter(wall) }
  const [first, second] = found
  if (first === undefined) return { problem: leftOut(text, wall) }
  if (second === undefined) return { value: first }
  const choices = found.map((moment) => `"${day}T${clock}${offsetText(moment)}"`).join(' or ')
  return { problem: `occurs twice in ${zoneName()}, where the clocks go back: write ${choices}` }
}

/** To the second, with the offset of the zone (`TZ`): `2026-11-22 07:00:00-03:00`, which `readLocalTime` and RFC 3339 read too. */
export function localText(time: number): string {
  const wall = new Date(time + offsetMs(time)).toISOString()
  return `${wall.slice(0, 10)} ${wall.slice(11, 19)}${offsetText(time)}`
}

/** The same with milliseconds. */
export function preciseLocalText(time: number): string {
  const wall = new Date(time + offsetMs(time)).toISOString()
  return `${wall.slice(0, 10)} ${wall.slice(11, 23)}${offsetText(time)}`
}

/** Writes times as clocks of a zone show them, without its offset, which spreadsheets do not read: `2026-11-22 07:00:00`. */
export interface ZoneClock {
  readonly zone: string
  textOf(time: number): string
}

const CLOCK: Intl.DateTimeFormatOptions = {
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
}

/** @param zone as IANA names it; null, unknown: the zone of the gateway (`TZ`) */
export function zoneClock(zone: string | null): ZoneClock {
  const format = (zone !== null && formatIn(zone)) || new Intl.DateTimeFormat('en', CLOCK)
  return {
    zone: format.resolvedOptions().timeZone,
    textOf(time) {
      const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]))
      return `${parts.year}-${parts.month}-${parts.day} ${parts.hour}:${parts.minute}:${parts.second}`
    },
  }
}

function formatIn(timeZone: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en', { ...CLOCK, timeZone })
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** The zone (`TZ`), with its offset from UTC at that time: `America/Sao_Paulo, UTC-03:00`. */
export function zoneText(time: number): string {
  const offset = offsetMs(time) === 0 ? '' : offsetText(time)
  return zoneName() === 'UTC' ? 'UTC' : `${zoneName()}, UTC${offset}`
}

function readingOf(time: number | null): LocalReading {
  return time === null ? { problem: 'is not in the calendar' } : { value: time }
}

function offsetMs(time: number): number {
  return -Math.round(new Date(time).getTimezoneOffset() * 60_000)
}

function offsetText(time: number): string {
  const minutes = Math.round(offsetMs(time) / 60_000)
  if (minutes === 0) return 'Z'
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0')
  return `${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`
}

const DAY_MS = 86_400_000

/** The moments at which local clocks show this time, the first one first. @param wall what they show, as if it were UTC */
function momentsOf(wall: number): number[] {
  const offsets = new Set([offsetMs(wall - DAY_MS), offsetMs(wall + DAY_MS)])
  return [...offsets]
    .map((offset) => wall - offset)
    .filter((moment) => moment + offsetMs(moment) === wall)
    .sort((one, other) => one - other)
}

/** Where the clocks go forward at midnight, the day begins later. */
function firstMomentAfter(wall: number): number {
  return wall - Math.min(offsetMs(wall - DAY_MS), offsetMs(wall + DAY_MS))
}

function leftOut(text: string, wall: number): string {
  const change = Math.abs(offsetMs(wall + DAY_MS) - offsetMs(wall - DAY_MS))
  const moment = wall - Math.min(offsetMs(wall - DAY_MS), offsetMs(wall + DAY_MS))
  const forward = change % 3_600_000 === 0 ? `${change / 3_600_000} h` : `${change / 60_000} min`
  return `does not exist in ${zoneName()}, where the clocks go forward by ${forward}: "${text}" would be "${localText(moment)}"`
}

function zoneName(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}
