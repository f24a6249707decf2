import { ReceiverError } from './errors.ts'

/** Headers of a request as Node.js (`request.headers`) or the Fetch API (`Headers`) have them. Names in any case. */
export type RequestHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** @returns null: the request does not have the header */
export function headerOf(headers: RequestHeaders, name: string): string | null {
  if (isFetchHeaders(headers)) return headers.get(name)
  const key = name in headers ? name : Object.keys(headers).find((one) => one.toLowerCase() === name)
  const value = key === undefined ? undefined : headers[key]
  if (value === undefined) return null
  return typeof value === 'string' ? value : value.join(', ')
}

function isFetchHeaders(headers: RequestHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function'
}

/** @throws ReceiverError `header_missing` */
export function requiredHeader(headers: RequestHeaders, name: string): string {
  const value = headerOf(headers, name)
  if (value !== null && value !== '') return value
  throw new ReceiverError(
    'header_missing',
    `the header ${name} is missing: this is no delivery of Portaria, or a proxy removed it`,
  )
}
