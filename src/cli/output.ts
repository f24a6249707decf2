import { once } from 'node:events'
import { printable, printableJson } from '../platform/control-characters.ts'
import { PortariaError, systemWords } from '../platform/errors.ts'
import { preciseLocalText } from '../platform/local-time.ts'
import { isPermissionError, permissionAdvice } from '../platform/permission.ts'
import type { Said } from '../platform/said.ts'
import { styled } from './colors.ts'
import { translated, translatedLines } from './language/language.ts'
import { severityPrefix } from './log/journal.ts'

/** Exit codes: 0 success, 1 failure or a negative result, 2 wrong usage, 3 done in part. */
export const EXIT = { good: 0, no: 1, usage: 2, partly: 3 } as const

const MIB = 1024 * 1024
const GIB = 1024 * MIB

export { printable, printableJson }

/** Waits while the reader of a pipe is slow. */
export async function print(text: string | Uint8Array): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}

/** On standard error, so that the list itself stays as it is for programs. @param hint null: none */
export function printHint(hint: Said | string | null): void {
  if (hint !== null) process.stderr.write(`${printable(translated(hint))}\n`)
}

/** In the language of the command line. A string is translated line by line; a `Said` has a line of its own. */
export function printText(text: Said | string): Promise<void> {
  return print(typeof text === 'string' ? translatedLines(text) : `${translated(text)}\n`)
}

export function printLine(value: unknown): Promise<void> {
  return print(`${printableJson(JSON.stringify(value))}\n`)
}

/** The result of a command: with `--json` as one JSON object, otherwise in words. */
export function printResult(
  { json = false }: { readonly json?: boolean | undefined },
  result: unknown,
  text: Said | string,
): Promise<void> {
  return json ? printLine(result) : printText(text)
}

/** A line on standard error, beside the output. */
export function tell(text: Said | string): void {
  process.stderr.write(`${severityPrefix()?.('info') ?? ''}portaria: ${printable(translated(text))}\n`)
}

/** Of the machine, whose messages name the call and the file. */
const MACHINE_ERRORS = ['EIO', 'ENOSPC', 'EDQUOT', 'EROFS', 'EMFILE', 'ENFILE', 'ENOMEM']

function isMachineError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && 'code' in error && MACHINE_ERRORS.includes(String(error.code))
}

/** With the file, as far as the system names it. */
function refusedBySystem(error: unknown): string {
  const file = error instanceof Error && 'path' in error ? `${String(error.path)}: ` : ''
  return file + systemWords(error)
}

/** Prints the error and sets the exit code. */
export function fail(error: unknown): void {
  const prefix = severityPrefix()?.('error') ?? ''
  const write = (text: string) => process.stderr.write(`${text.replaceAll(/^/gm, prefix)}\n`)
  const name = styled('red', 'portaria:', process.stderr)
  if (isPermissionError(error)) {
    write(`${name} ${printable(translated(`${refusedBySystem(error)}; ${permissionAdvice()}`))}`)
    process.exitCode = EXIT.no
    return
  }
  if (isMachineError(error)) {
    write(
      `${name} ${printable(translated(`${refusedBySystem(error)}; check the disk and the limits of this machine, then run the command again`))}`,
    )
    process.exitCode = EXIT.no
    return
  }
  if (!(error instanceof PortariaError)) {
    write(
      `${name} ${translated('internal error')}: ${printableLines(error instanceof Error ? (error.stack ?? error.message) : String(error))}`,
    )
    process.exitCode = EXIT.no
    return
  }
  write(`${name} ${printableLines(translated(error.said ?? error.message))}`)
  for (const detail of error.details) {
    if (!error.message.includes(detail)) write(`  - ${printableLines(translated(detail))}`)
  }
  process.exitCode = error.code === 'configuration_invalid' || error.code === 'request_invalid' ? EXIT.usage : EXIT.no
}

/** Keeps the line breaks of a message. */
function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}

/** An error that ends a command with exit code 2. */
export function wrongUsage(message: Said | string, cause?: unknown): PortariaError {
  return new PortariaError('request_invalid', message, { cause })
}

/** A command's action whose errors are printed and set the exit code. */
export function action<A extends unknown[]>(run: (...args: A) => Promise<void>): (...args: A) => Promise<void> {
  return async function runAction(...args) {
    try {
      await run(...args)
    } catch (error) {
      fail(error)
    }
  }
}

const TIME_FIELD = /^not(Before|After)$|(At|Since|Until|From)$/
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

export function isTimeField(name: string): boolean {
  return TIME_FIELD.test(name)
}

/** Local time for a field that holds a time, as its name says; every other value as it is. */
export function withLocalTime([name, value]: readonly [string, unknown]): readonly [string, unknown] {
  const isTime = typeof value === 'string' && isTimeField(name) && ISO_TIME.test(value)
  return isTime ? [name, preciseLocalText(Date.parse(value))] : [name, value]
}

/**
 * Named fields under a title, without those that are null. Times of an object are shown as local time. Pairs are shown as they are; a name
 * may occur several times in them, as with headers.
 */
export function sectionOf(title: string, fields: object | readonly (readonly [string, unknown])[]): string {
  const entries: readonly (readonly [string, unknown])[] = Array.isArray(fields)
    ? fields
    : Object.entries(fields).map(withLocalTime)
  const lines = entries
    .filter(([, value]) => value !== null)
    .map(
      ([name, value]) =>
        `  ${printable(name).padEnd(15)} ${printable(typeof value === 'string' ? value : JSON.stringify(value))}\n`,
    )
  return `${styled('bold', translated(title))}\n${lines.join('')}`
}

export function sizeInWords(bytes: number): string {
  return bytes < GIB ? `${(bytes / MIB).toFixed(1)} MiB` : `${(bytes / GIB).toFixed(1)} GiB`
}
