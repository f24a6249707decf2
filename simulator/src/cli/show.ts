import { translated } from './command-names.ts'
import { printable } from './output.ts'

/** What `ctl show` shows. The operation of each is `show-charge` and so on. */
export const SHOWN = ['account', 'charge', 'subscription', 'bill', 'carnet'] as const

interface Line {
  readonly at: string | null
  readonly what: string
}

/** A record of the control API. */
interface Shown {
  readonly clock: { readonly now: string; readonly frozen: boolean; readonly timeZone: string }
  readonly history: readonly Line[]
  readonly next: readonly Line[]
  readonly [member: string]: unknown
}

/** A record as lines: its members, its history, and what comes next. Times are local to the service, amounts are cents. */
export function textOfRecord(title: string, record: object): string {
  const { clock, history, next, ...members } = record as Shown
  const local = localTimes(clock.timeZone)
  const timed = next.filter(({ at }) => at !== null)
  const manual = next.filter(({ at }) => at === null)
  const moment = ({ at, what }: Line) => `  ${local(at ?? '')}  ${what}`
  const width = Math.max(...timed.map(({ at }) => distance(clock.now, at ?? '').length), 0)
  const status = typeof members.status === 'string' ? ` (${members.status})` : ''
  return [
    `${title}${status}, ${local(clock.now)} ${clock.timeZone}${translated(clock.frozen ? ', the clock is frozen; amounts in cents' : '; amounts in cents')}`,
    ...membersOf(members, local),
    ...section(translated('history'), history.map(moment), translated('nothing yet')),
    ...section(
      translated('next'),
      timed.map(({ at, what }) => `  ${local(at ?? '')}  ${distance(clock.now, at ?? '').padEnd(width)}  ${what}`),
      translated(manual.length === 0 ? 'nothing comes any more' : 'nothing comes by itself'),
    ),
    ...(clock.frozen && timed.length > 0 ? [`  ${translated(FROZEN)}`] : []),
    ...(manual.length === 0
      ? []
      : section(
          translated('not by itself'),
          manual.map(({ what }) => `  ${what}`),
          '',
        )),
    '',
  ]
    .map((line) => printable(line))
    .join('\n')
}

const FROZEN =
  'The clock is frozen: nothing comes until it is moved (ctl advance-clock --by 1h), or runs (ctl set-clock --frozen false).'

function section(name: string, lines: readonly string[], empty: string): string[] {
  return ['', name, ...(lines.length === 0 ? [`  ${empty}`] : lines)]
}

/** One line for each member; a list of objects has a line for each of them. */
function membersOf(members: object, local: (text: string) => string): string[] {
  const width = Math.max(...Object.keys(members).map((name) => name.length))
  return Object.entries(members).flatMap(([name, value]) => {
    const isTable = Array.isArray(value) && value.some((one) => typeof one === 'object')
    const lines = isTable ? (value as unknown[]).map((one) => inline(one, local)) : [inline(value, local)]
    const folded = lines.flatMap((line) => fold(line, isTable))
    return folded.map((line, index) => `  ${(index === 0 ? name : '').padEnd(width)}  ${line}`)
  })
}

/** Columns of a terminal that the value of a member may take. */
const WIDTH = 100

/** Breaks a long list behind its commas. @param isIndented what follows is moved to the right, so that each row of a table is seen */
function fold(line: string, isIndented: boolean): string[] {
  const rows: string[] = []
  for (const part of line.split(/(?<=, )/)) {
    const last = rows.at(-1)
    if (last !== undefined && last.length + part.trimEnd().length <= WIDTH) rows[rows.length - 1] = last + part
    else rows.push(rows.length > 0 && isIndented ? `  ${part}` : part)
  }
  return rows.map((row) => row.trimEnd())
}

function inline(value: unknown, local: (text: string) => string): string {
  if (value === null) return 'none'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map((one) => inline(one, local)).join(', ')
  if (typeof value !== 'object') return local(String(value))
  if (Object.keys(value).length === 0) return 'none'
  const facts = Object.entries(value).map(([name, one]) => {
    const text = inline(one, local)
    return `${name} ${typeof one === 'object' && one !== null ? `(${text})` : text}`
  })
  return facts.join(', ')
}

/** Changes an instant of the control API to a local time; every other text stays. */
function localTimes(timeZone: string): (text: string) => string {
  // Swedish is written like that.
  const format = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium', timeZone })
  return (text) => (/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(text) ? format.format(new Date(text)) : text)
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const

/** `in 8 d 12 h`: the two largest units. */
function distance(from: string, to: string): string {
  let left = Date.parse(to) - Date.parse(from)
  if (left < 1000) return 'now'
  const parts = UNITS.flatMap(([unit, ms]) => {
    const count = Math.floor(left / ms)
    left -= count * ms
    return count === 0 ? [] : [`${count} ${unit}`]
  })
  return `in ${parts.slice(0, 2).join(' ')}`
}
