import type { z } from 'zod'
import { PortariaError } from '../domain/errors.ts'

/**
 * What a request's body holds, once the schema has found nothing wrong with it.
 * @param what what the body is, in the words of the error
 * @param hints what to do about members that the schema does not know, by their names
 * @throws PortariaError `request_invalid` with every violation: a JSON Pointer (RFC 6901) and what is wrong there
 */
export function checkBody<T>(
  schema: z.ZodType<T>,
  body: unknown,
  { what, hints = {} }: { what: string; hints?: Readonly<Record<string, string>> },
): T {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const details = parsed.error.issues.flatMap((issue) => violationsOf(issue, hints))
  throw new PortariaError('request_invalid', `${what} is not valid: ${details.join('; ')}`, { details })
}

function violationsOf(issue: z.core.$ZodIssue, hints: Readonly<Record<string, string>>): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const hint = Object.hasOwn(hints, key) ? hints[key] : 'is unknown: remove it, or correct its name'
      return `${pointerTo([...issue.path, key])}: ${hint}`
    })
  }
  const words = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message
  return [`${pointerTo(issue.path)}: ${words}`]
}

/** RFC 6901 section 3; the body as a whole is `/` here, for an empty text could be overlooked. */
function pointerTo(path: readonly PropertyKey[]): string {
  const tokens = path.map((segment) => String(segment).replaceAll('~', '~0').replaceAll('/', '~1'))
  return `/${tokens.join('/')}`
}
