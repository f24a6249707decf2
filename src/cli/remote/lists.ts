import type { ApiCall } from '../control-client.ts'
import { printHint } from '../output.ts'

/** A page of a list of the API. */
export interface ListPage<T> {
  readonly data: readonly T[]
  readonly next?: string | null
  readonly more?: boolean
  /** Why it may be empty. */
  readonly hint?: string
}

type QueryValue = string | number | boolean | readonly string[] | undefined

const PAGE = 500

/** With the members that are given. */
export function queryOf(members: Readonly<Record<string, QueryValue>>): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(members))
    if (value !== undefined) for (const one of [value].flat()) query.append(name, String(one))
  return query
}

/** Times of options, in ms since 1970, as the API takes them. */
export function periodOf({ from, to }: { readonly from?: number; readonly to?: number }) {
  const timeOf = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())
  return { from: timeOf(from), to: timeOf(to) }
}

/** The same in one array. */
export async function allOf<T>(...asked: Parameters<typeof itemsOf>): Promise<T[]> {
  const all: T[] = []
  for await (const item of itemsOf<T>(...asked)) all.push(item)
  return all
}

/** At most `limit` items of a list of the API, page by page. Prints the hint of an empty list. */
export async function* itemsOf<T>(
  call: ApiCall,
  path: string,
  { query, limit }: { readonly query: URLSearchParams; readonly limit: number },
): AsyncGenerator<T> {
  let left = limit
  let after: string | null = null
  while (left > 0) {
    const asked = new URLSearchParams(query)
    asked.set('limit', String(Math.min(left, PAGE)))
    if (after !== null) asked.set('after', after)
    const { data, next = null, more = false, hint }: ListPage<T> = await call<ListPage<T>>('GET', `${path}?${asked}`)
    yield* data
    if (left === limit && data.length === 0) printHint(hint ?? null)
    left -= data.length
    after = next
    if (!more || next === null) return
  }
}

/** Such as `sandbox` and `bank-a/sandbox`; null: unknown. */
export function realmText({
  institution,
  environment,
}: {
  institution: string | null
  environment: string | null
}): string | null {
  return institution === null || environment === null ? environment : `${institution}/${environment}`
}
