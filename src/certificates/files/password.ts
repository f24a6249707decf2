import { PortariaError } from '../../platform/errors.ts'

/** Gives the password of what is described. Throws a `request_invalid` when there is none and nobody can be asked. */
export type PasswordSource = (what: string) => Promise<string>

/**
 * What `open` makes of the right password; it answers null to a wrong one. The empty password is common and is tried before anybody is asked.
 * Throws `certificate_invalid` when the password is wrong.
 */
export async function withPassword<T>(
  what: string,
  source: PasswordSource,
  open: (password: string) => Promise<T | null> | T | null,
): Promise<T> {
  const opened = (await open('')) ?? (await open(await source(what)))
  if (opened !== null) return opened
  throw new PortariaError('certificate_invalid', `the password does not open ${what}: check it and try again`)
}
