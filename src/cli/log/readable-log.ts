import { printable, printableJson } from '../../platform/control-characters.ts'
import { preciseLocalText } from '../../platform/local-time.ts'

const COLORS: Readonly<Record<string, string>> = { error: '\x1b[31m', warn: '\x1b[33m', info: '\x1b[32m' }
const [DIM, BOLD, PLAIN] = ['\x1b[2m', '\x1b[1m', '\x1b[0m']
/** A string that needs no quotes. */
const WORD = /^[^\s"'={}[\],]+$/

export interface LoggedEvent {
  /** ISO 8601. */
  readonly time: string
  readonly level: string
  readonly event: string
  readonly [field: string]: unknown
}

/**
 * A log line (JSON) for a person at a terminal: local time, level, event, the other fields, and last the hint. A stack trace follows on lines of its own.
 * Control characters are escaped.
 */
export function readableLine(line: string, hasColors: boolean): string {
  const logged = JSON.parse(line) as LoggedEvent
  const parts = [...headOf(logged, localTime(logged.time), hasColors), ...detailsOf(logged, hasColors)]
  return `${parts.join(' ')}\n${stackText(logged.stack)}`
}

/** The same with the date and what the event means; the fields and the hint are below. @param meaning null: unknown */
export function explainedEvent(logged: LoggedEvent, meaning: string | null, hasColors: boolean): string {
  const head = headOf(logged, preciseLocalText(Date.parse(logged.time)), hasColors).join(' ')
  const details = detailsOf(logged, hasColors).join(' ')
  const lines = [meaning === null ? head : `${head}: ${meaning}`, ...(details === '' ? [] : [`    ${details}`])]
  return `${lines.join('\n')}\n${stackText(logged.stack)}`
}

function colored(color: string, text: string, hasColors: boolean): string {
  return hasColors ? `${color}${text}${PLAIN}` : text
}

function headOf({ level, event }: LoggedEvent, time: string, hasColors: boolean): string[] {
  return [
    colored(DIM, time, hasColors),
    colored(COLORS[level] ?? PLAIN, printable(level).padEnd(5), hasColors),
    colored(BOLD, printable(event), hasColors),
  ]
}

function detailsOf({ time, level, event, hint, stack, ...fields }: LoggedEvent, hasColors: boolean): string[] {
  const named = Object.entries(fields).map(
    ([name, value]) => `${colored(DIM, `${printable(name)}=`, hasColors)}${valueText(value)}`,
  )
  return hint === undefined ? named : [...named, `→ ${printable(String(hint))}`]
}

/** Hours to milliseconds: a person watches the lines as they come. */
function localTime(time: string): string {
  const at = new Date(time)
  const clock = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
  return `${clock}.${String(at.getMilliseconds()).padStart(3, '0')}`
}

function valueText(value: unknown): string {
  return typeof value === 'string' && WORD.test(value) ? printable(value) : printableJson(JSON.stringify(value))
}

function stackText(stack: unknown): string {
  if (typeof stack !== 'string') return ''
  return stack
    .split('\n')
    .map((line) => `    ${printable(line)}\n`)
    .join('')
}
