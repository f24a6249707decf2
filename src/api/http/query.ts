import { z } from 'zod'
import { EVENT_ORDERS } from '../../domain/event.ts'
import { parseCursor, parseNumberedId } from '../../domain/public-id.ts'
import { invalidRequest, type Violation } from '../../platform/errors.ts'
import { parseTime, TIME_FORMS } from '../../platform/time.ts'

export const MAX_LIMIT = 1000
const DEFAULT_LIMIT = 100

/** Each name with its value; a name that occurs more than once has an array. */
export function queryOf(url: string): Record<string, string | string[]> {
  const mark = url.indexOf('?')
  const parameters = new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1))
  const names = [...new Set(parameters.keys())]
  return Object.fromEntries(
    names.map((name) => {
      const [value = '', ...more] = parameters.getAll(name)
      return [name, more.length === 0 ? value : [value, ...more]]
    }),
  )
}

/**
 * A query, as its schema reads it.
 * @param given as `queryOf` gives it
 * @throws PortariaError `request_invalid` with every violation: unknown parameters first, then one for each wrong parameter
 */
export function checkQuery<Schema extends z.ZodObject>(schema: Schema, given: object): z.output<Schema> {
  const names = Object.keys(schema.shape)
  const unknown = Object.keys(given).filter((name) => !names.includes(name))
  const violations: Violation[] = unknown.map((parameter) => ({ parameter, words: unknownWords(names) }))
  const parsed = schema.safeParse(given)
  if (violations.length === 0 && parsed.success) return parsed.data
  throw invalidRequest('the query is wrong', [...violations, ...violationsOf(parsed.error?.issues ?? [], names)])
}

function unknownWords(names: readonly string[]): string {
  return names.length === 0 ? 'unknown; this takes no query' : `unknown; known are ${names.join(', ')}`
}

/** In the order of the schema. */
function violationsOf(issues: readonly z.core.$ZodIssue[], names: readonly string[]): Violation[] {
  return names.flatMap((parameter) => {
    const issue = issues.find(({ path }) => path[0] === parameter)
    return issue === undefined ? [] : { parameter, words: issue.message }
  })
}

/** The error of a parameter that may occur only once. */
function single(expected: string) {
  return ({ input }: { readonly input?: unknown }) => (Array.isArray(input) ? `given ${input.length} times` : expected)
}

export function text(description: string) {
  return z
    .string({ error: single('must be text') })
    .optional()
    .describe(description)
}

export function oneOf<T extends string>(values: readonly T[], description: string) {
  return z
    .enum(values, { error: single(`one of ${values.join(', ')}`) })
    .optional()
    .describe(description)
}

/** Repeated, or separated by commas. @param item of each value */
export function listOf<Item extends z.ZodType<string, string>>(description: string, item: Item) {
  return z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [given].flat().flatMap((value) => value.split(',')))
    .pipe(z.array(item))
    .optional()
    .describe(`${description} Repeat the parameter, or separate values by commas.`)
}

/** Digits, read as a number. @param error where the text is something else */
export function digits({ min, max, most }: { min: number; max: number; most: number }, error: z.core.$ZodErrorMap) {
  return z
    .string({ error })
    .regex(new RegExp(`^[0-9]{1,${most}}$`), { error })
    .transform(Number)
    .pipe(z.int().min(min, { error }).max(max, { error }))
}

export function optionalNumber(description: string, { min, max }: { min: number; max: number }) {
  return digits({ min, max, most: String(max).length }, single(`a whole number from ${min} to ${max}`))
    .optional()
    .meta({ description })
}

export function wholeNumber(
  description: string,
  { min, max, fallback }: { min: number; max: number; fallback: number },
) {
  return digits({ min, max, most: String(max).length }, single(`a whole number from ${min} to ${max}`))
    .prefault(String(fallback))
    .meta({ description, default: fallback })
}

export function flag(description: string) {
  return z
    .enum(['true', 'false'], { error: single('true or false') })
    .transform((value) => value === 'true')
    .pipe(z.boolean())
    .prefault('false')
    .meta({ description, default: false })
}

/** How many a page has at most. */
export const limit = wholeNumber('Maximum number of items.', { min: 1, max: MAX_LIMIT, fallback: DEFAULT_LIMIT })

/** For how long a request is held, in seconds. */
export const wait = wholeNumber(
  'How many seconds to wait for a matching event if there is none yet. HEAD does not wait.',
  { min: 0, max: 30, fallback: 0 },
)

/** Text with a reading of its own. @param describe a description and, for the document, the schema of the text */
function reading<T>(
  read: (text: string) => T | null,
  expected: string,
  describe: { readonly description: string; readonly pattern?: string; readonly examples: string[] },
) {
  return z
    .string({ error: single(expected) })
    .transform((text, context): T => {
      const value = read(text)
      if (value !== null) return value
      context.addIssue({ code: 'custom', message: expected })
      return z.NEVER
    })
    .optional()
    .meta({ type: 'string', ...describe })
}

/** In ms since 1970. */
export function instant(description: string) {
  return reading(parseTime, `${TIME_FORMS}; write + as %2B in a URL`, {
    description: `${description} RFC 3339, with an offset; a date alone means midnight UTC.`,
    examples: ['2026-01-31T12:00:00Z'],
  })
}

/** A cursor, or `latest`, which the caller resolves. */
export const cursor = reading(
  (text) => (text === 'latest' ? text : parseCursor(text)),
  'a cursor that "next" of an earlier answer gave, or latest',
  {
    description:
      'Where to continue: `next` of an earlier answer, or `latest` for new items only. Default: from the beginning.',
    examples: ['latest'],
  },
)

/** The number of the id behind which to go on. */
export function idBehind(prefix: 'dlv' | 'dst' | 'qtn' | 'rpl') {
  return reading((text) => parseNumberedId(prefix, text), `an id such as ${prefix}_1`, {
    description: 'Where to continue: `next` of an earlier answer.',
    pattern: `^${prefix}_[1-9][0-9]*$`,
    examples: [`${prefix}_1`],
  })
}

/** Of a list with `after`. */
export const order = oneOf(
  EVENT_ORDERS,
  'asc: oldest first (default). desc: newest first; `next` continues with older items, until `more` is false.',
)

/** The part of a filter for a list by numbers: the records behind `after`, in this order. */
export function rangeOf({ after, order }: { after?: number | undefined; order?: 'asc' | 'desc' | undefined }) {
  const isBackward = order === 'desc'
  return {
    ...(after !== undefined && (isBackward ? { before: after } : { after })),
    ...(isBackward && { newestFirst: true }),
  }
}
