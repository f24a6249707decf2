import { decodedText } from '../../platform/decoded-text.ts'
import { PortariaError } from '../../platform/errors.ts'
import { say } from '../../platform/said.ts'

/** Asks for the password of a file. Throws `request_invalid` when there is none and no terminal. */
export type PasswordSource = (what: string) => Promise<string>

/**
 * The result of `open` with the right password; `open` returns null for a wrong one. The empty password is common and is tried first.
 * Throws `certificate_invalid` when the password is wrong.
 */
export async function withPassword<T>(
  what: string,
  source: PasswordSource,
  open: (password: string) => Promise<T | null> | T | null,
): Promise<T> {
  const opened = (await open('')) ?? (await open(await source(what)))
  if (opened !== null) return opened
  throw new PortariaError('certificate_invalid', say`the password does not open ${{ what }}: check it and try again`)
}

/** The password in a file: its text without one line end. */
export function passwordIn(bytes: Buffer): string {
  return decodedText(bytes).replace(/\r?\n$|\r$/, '')
}
