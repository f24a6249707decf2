import type { z } from 'zod'

type Issue = z.core.$ZodRawIssue

/** What is wrong with a value of a request to the control API or of the settings, in English. undefined: zod's own words. */
export function violationWords(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : TYPES[issue.expected]
    case 'too_small':
      return `must ${limited(issue.origin)} ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${unitOf(issue.origin)}`
    case 'too_big':
      return `must ${limited(issue.origin)} ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}${unitOf(issue.origin)}`
    case 'invalid_value':
      return oneOf(issue.values)
    case 'invalid_format':
      return FORMATS[issue.format]
    case 'invalid_union':
      return Array.isArray(issue.options) ? oneOf(issue.options) : undefined
    default:
      return undefined
  }
}

const TYPES: Readonly<Record<string, string>> = {
  int: 'must be a whole number',
  number: 'must be a number',
  boolean: 'must be true or false',
  string: 'must be a text',
  object: 'must be an object',
  array: 'must be a list',
}

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'must be a time with its zone, as 2026-03-02T12:00:00Z or 2026-03-02T09:00:00-03:00',
  date: 'must be a date, as 2026-03-02',
  uuid: 'must be a UUID',
  url: 'must be a URL',
}

function limited(origin: string): string {
  return origin === 'string' || origin === 'array' ? 'have' : 'be'
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters'
  return origin === 'array' ? ' elements' : ''
}

function oneOf(values: readonly unknown[]): string {
  const words = values.map(String)
  return words.length === 1 ? `must be ${words[0]}` : `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}
