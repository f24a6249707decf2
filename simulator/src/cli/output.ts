import { once } from 'node:events'
import { messageOf, SimulatorError, type SimulatorErrorCode } from '../errors.ts'
import { errorPrefix, translated } from './command-names.ts'

/** Exit codes: 1 failure, 2 wrong usage. */
const EXIT = { no: 1, usage: 2 } as const
const USAGE: ReadonlySet<SimulatorErrorCode> = new Set(['settings_invalid', 'request_invalid', 'folder_occupied'])

/** Unicode's control and format characters and line separators: they control terminals, change the text direction or are invisible. */
const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Untrusted text with such characters as `\u` and their number. */
export function printable(text: string): string {
  return text.replace(CONTROL, (character) =>
    Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  )
}

/** Waits while the reader of a pipe is slow. */
export async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}

/** One line of JSON. */
export function printLine(value: unknown): Promise<void> {
  return print(`${printable(JSON.stringify(value))}\n`)
}

/** A command's action: prints the errors that its user can remedy, and sets the exit code. */
export function action<A extends unknown[]>(run: (...args: A) => Promise<void>): (...args: A) => Promise<void> {
  return async function runAction(...args) {
    try {
      await run(...args)
    } catch (error) {
      if (!(error instanceof SimulatorError)) throw error
      process.stderr.write(`${errorPrefix()}${translated(messageOf(error)).split('\n').map(printable).join('\n')}\n`)
      process.exitCode = USAGE.has(error.code) ? EXIT.usage : EXIT.no
    }
  }
}
