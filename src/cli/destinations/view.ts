import { printable, withLocalTime } from '../output.ts'

/** One field per line, without those that are not set. */
export function fieldsOf(fields: object): string {
  return Object.entries(fields)
    .map(withLocalTime)
    .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => `${name.padEnd(21)}${printable(textOf(value))}\n`)
    .join('')
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
