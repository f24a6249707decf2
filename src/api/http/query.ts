import { type Cursor, parseCursor, parseNumberedId } from '../../domain/public-id.ts'
import { invalidRequest, type Violation } from '../../platform/errors.ts'
import { parseTime } from '../../platform/time.ts'
import type { Reading } from '../../platform/units.ts'
import type { JsonSchema } from '../openapi/json-schema.ts'

export const MAX_LIMIT = 1000
const DEFAULT_LIMIT = 100

/** A parameter of a query: how it is read, and what the contract says of it. */
export interface Parameter<T> {
  readonly description: string
  /** Of its value as it is written. */
  readonly schema: JsonSchema
  /** @param values as they were given, in their order; empty: it was left out */
  readonly read: (values: readonly string[]) => Reading<T>
}

/** The parameters of a query, by their names. */
export type Parameters = Readonly<Record<string, Parameter<unknown>>>

type ValuesOf<P extends Parameters> = {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer T> ? T : never
}

/** What the query of a request's URL says. @throws PortariaError `request_invalid` with everything that is wrong */
export function readQuery<P extends Parameters>(url: string, parameters: P): ValuesOf<P> {
  const mark = url.indexOf('?')
  const given = new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1))
  const names = Object.keys(parameters)
  const violations: Violation[] = [...new Set(given.keys())]
    .filter((name) => !names.includes(name))
    .map((parameter) => ({ parameter, words: unknownWords(names) }))
  const values: Record<string, unknown> = {}
  for (const [name, { read }] of Object.entries(parameters)) {
    const reading = read(given.getAll(name))
    if ('problem' in reading) violations.push({ parameter: name, words: reading.problem })
    else values[name] = reading.value
  }
  if (violations.length > 0) throw invalidRequest('the query is wrong', violations)
  return values as ValuesOf<P>
}

function unknownWords(names: readonly string[]): string {
  return names.length === 0 ? 'unknown; this takes no query' : `unknown; known are ${names.join(', ')}`
}

/** Given once at most. */
function single<T>(
  description: string,
  schema: JsonSchema,
  read: (text: string) => Reading<T>,
): Parameter<T | undefined> {
  return {
    description,
    schema,
    read([text, ...more]) {
      if (more.length > 0) return { problem: `given ${more.length + 1} times` }
      return text === undefined ? { value: undefined } : read(text)
    },
  }
}

export function text(description: string): Parameter<string | undefined> {
  return single(description, { type: 'string' }, (value) => ({ value }))
}

export function oneOf<T extends string>(values: readonly T[], description: string): Parameter<T | undefined> {
  return single(description, { type: 'string', enum: values }, (text) => {
    const value = values.find((v) => v === text)
    return value === undefined ? { problem: `one of ${values.join(', ')}` } : { value }
  })
}

/** Repeated, or separated by commas. */
export function listOf(description: string): Parameter<readonly string[] | undefined>
export function listOf<T extends string>(description: string, values: readonly T[]): Parameter<readonly T[] | undefined>
export function listOf(description: string, known?: readonly string[]): Parameter<readonly string[] | undefined> {
  return {
    description: `${description} Repeated, or separated by commas.`,
    schema: { type: 'array', items: known === undefined ? { type: 'string' } : { type: 'string', enum: known } },
    read(given) {
      const values = given.flatMap((value) => value.split(','))
      if (known !== undefined && !values.every((value) => known.includes(value)))
        return { problem: `one of ${known.join(', ')}` }
      return { value: values.length === 0 ? undefined : values }
    },
  }
}

export function wholeNumber(
  description: string,
  { min, max, fallback }: { min: number; max: number; fallback: number },
): Parameter<number> {
  const schema = { type: 'integer', minimum: min, maximum: max, default: fallback }
  const digits = new RegExp(`^[0-9]{1,${String(max).length}}$`)
  const { read } = single(description, schema, (text) => {
    const value = digits.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max ? { value } : { problem: `a whole number from ${min} to ${max}` }
  })
  return { description, schema, read: withFallback(read, fallback) }
}

export function flag(description: string): Parameter<boolean> {
  const schema = { type: 'boolean', default: false }
  const { read } = single(description, schema, (text) =>
    text === 'true' || text === 'false' ? { value: text === 'true' } : { problem: 'true or false' },
  )
  return { description, schema, read: withFallback(read, false) }
}

function withFallback<T>(read: Parameter<T | undefined>['read'], fallback: T): Parameter<T>['read'] {
  return function readOrFallback(values) {
    const reading = read(values)
    return 'problem' in reading ? reading : { value: reading.value ?? fallback }
  }
}

/** How many a page has at most. */
export const limit = wholeNumber('How many to give at most.', { min: 1, max: MAX_LIMIT, fallback: DEFAULT_LIMIT })

/** For how long a request is held, in seconds. */
export const wait = wholeNumber(
  'For how many seconds the request is held, where there is nothing yet, until something that matches comes. HEAD does not wait.',
  { min: 0, max: 30, fallback: 0 },
)

export function time(description: string): Parameter<number | undefined> {
  const schema = { type: 'string', examples: ['2026-01-31T12:00:00Z'] }
  return single(`${description} An ISO 8601 time; a date alone is its midnight in UTC.`, schema, (text) => {
    const value = parseTime(text)
    return value === null ? { problem: 'an ISO 8601 time such as 2026-01-31T12:00:00Z' } : { value }
  })
}

/** What a cursor says; `latest` is left to the caller. */
export const cursor: Parameter<Cursor | 'latest' | undefined> = single(
  'Where to go on: what `next` of an earlier answer gave, or `latest` for what comes from now on. Left out: from the beginning.',
  { type: 'string', examples: ['latest'] },
  (text) => {
    const value = text === 'latest' ? text : parseCursor(text)
    return value === null ? { problem: 'a cursor that "next" of an earlier answer gave, or latest' } : { value }
  },
)

/** The number of the id behind which to go on. */
export function idBehind(prefix: 'dlv' | 'dst' | 'qtn' | 'rpl'): Parameter<number | undefined> {
  const schema = { type: 'string', pattern: `^${prefix}_[1-9][0-9]*$`, examples: [`${prefix}_1`] }
  return single('Where to go on: what `next` of an earlier answer gave.', schema, (text) => {
    const value = parseNumberedId(prefix, text)
    return value === null ? { problem: `an id such as ${prefix}_1` } : { value }
  })
}
