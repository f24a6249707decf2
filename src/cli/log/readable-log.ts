import { printable, printableJson } from '../../platform/control-characters.ts'

const COLORS: Readonly<Record<string, string>> = { error: '\x1b[31m', warn: '\x1b[33m', info: '\x1b[32m' }
const [DIM, BOLD, PLAIN] = ['\x1b[2m', '\x1b[1m', '\x1b[0m']
/** A string that needs no quotes. */
const WORD = /^[^\s"'={}[\],]+$/

/**
 * A log line (JSON) for a person at a terminal: local time, level, event, the other fields, and last the hint. A stack trace follows on lines of its own.
 * Control characters are escaped.
 */
export function readableLine(line: string, hasColors: boolean): string {
  const { time, level, event, hint, stack, ...fields } = JSON.parse(line) as Record<string, unknown>
  const colored = (color: string, text: string) => (hasColors ? `${color}${text}${PLAIN}` : text)
  const parts = [
    colored(DIM, localTime(String(time))),
    colored(COLORS[String(level)] ?? PLAIN, String(level).padEnd(5)),
    colored(BOLD, printable(String(event))),
    ...Object.entries(fields).map(([name, value]) => `${colored(DIM, `${printable(name)}=`)}${valueText(value)}`),
  ]
  if (hint !== undefined) parts.push(`→ ${printable(String(hint))}`)
  return `${parts.join(' ')}\n${stackText(stack)}`
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
