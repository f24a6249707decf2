import type { z } from 'zod'
import { invalidRequest, type Violation } from '../../platform/errors.ts'

/**
 * Parses a request's body.
 * @param what name of the body in the error text
 * @param hints advice for members that are not in the schema, by their names
 * @throws PortariaError `request_invalid` with every violation: a JSON Pointer (RFC 6901) and the error there
 */
export function checkBody<T>(
  schema: z.ZodType<T>,
  body: unknown,
  { what, hints = {} }: { what: string; hints?: Readonly<Record<string, string>> },
): T {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  throw invalidRequest(`${what} is not valid`, violationsIn(parsed.error, { hints }))
}

export type BodyViolation = Violation & { readonly pointer: string }

interface UnknownMembers {
  /** As in `checkBody`. */
  readonly hints?: Readonly<Record<string, string>>
  /** For those without a hint. */
  readonly unknown?: string
}

/** Every violation that the schema found. */
export function violationsIn(error: z.ZodError, members: UnknownMembers = {}): BodyViolation[] {
  return error.issues.flatMap((issue) => violationsOf(issue, members))
}

const UNKNOWN = 'is unknown: remove it, or correct its name'

function violationsOf(issue: z.core.$ZodIssue, { hints = {}, unknown = UNKNOWN }: UnknownMembers): BodyViolation[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const hint = (Object.hasOwn(hints, key) && hints[key]) || unknown
      return { pointer: pointerTo([...issue.path, key]), words: hint }
    })
  }
  const words = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message
  return [{ pointer: pointerTo(issue.path), words }]
}

/** RFC 6901 section 3, except that the whole body is `/`, which is easier to notice than an empty text. */
function pointerTo(path: readonly PropertyKey[]): string {
  const tokens = path.map((segment) => String(segment).replaceAll('~', '~0').replaceAll('/', '~1'))
  return `/${tokens.join('/')}`
}
