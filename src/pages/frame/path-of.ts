import { NoSuchPage } from './refusals.ts'

/**
 * A path whose values are percent-encoded: `pathOf\`/v1/events/${id}\``.
 * @throws NoSuchPage for a value that would change the path, such as `..`
 */
export function pathOf(parts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return parts.map((part, index) => (index === 0 ? '' : segmentOf(String(values[index - 1]))) + part).join('')
}

function segmentOf(value: string): string {
  if (value === '' || value === '.' || value === '..' || !value.isWellFormed()) throw new NoSuchPage()
  return encodeURIComponent(value)
}

export type QueryValue = string | number | boolean | null | undefined

/** Adds parameters; those without a value are left out, and so are empty ones. */
export function withQuery(path: string, query: Readonly<Record<string, QueryValue>>): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === null || value === undefined || value === ''
      ? []
      : [[name, String(value).toWellFormed()] as [string, string]],
  )
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}
