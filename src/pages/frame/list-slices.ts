import type { Html } from '../parts/html.ts'
import { pager } from '../parts/pager.ts'
import { typedTime } from '../parts/period.ts'
import type { PageRequest } from './page.ts'
import { withQuery } from './path-of.ts'

/** Cards of so many rows are no more than 12 screens of a telephone. */
export const PAGE_ROWS = 25

/** A part of a list that the API gives as a whole, and the links to the other parts. The parameter `from` says where it starts. */
export function sliceOf<Item>(
  all: readonly Item[],
  { path, query, t }: Pick<PageRequest, 'query' | 't'> & { readonly path: string },
): { readonly items: readonly Item[]; readonly pager: Html | null } {
  const asked = Number(query.get('from') ?? 0)
  const from = Number.isInteger(asked) && asked > 0 && asked < all.length ? asked : 0
  const linkTo = (start: number | null) => withQuery(path, { ...Object.fromEntries(query), from: start })
  const next = from + PAGE_ROWS < all.length ? linkTo(from + PAGE_ROWS) : null
  return { items: all.slice(from, from + PAGE_ROWS), pager: pager({ first: from > 0 ? linkTo(null) : null, next }, t) }
}

/** Links of a list with cursors. @param path of the page */
export function pagerOf(
  { next, more }: { readonly next: string | null; readonly more: boolean },
  path: string,
  { query, t }: Pick<PageRequest, 'query' | 't'>,
): Html | null {
  const linkTo = (after: string | null) => withQuery(path, { ...Object.fromEntries(query), after })
  return pager({ first: query.has('after') ? linkTo(null) : null, next: more ? linkTo(next) : null }, t)
}

/** What a person chose and typed in the filters of a list, and its cursor, as the API takes them. */
export function filtersIn<Name extends string>(query: URLSearchParams, names: readonly Name[]) {
  const typed = (name: string) => (name === 'from' || name === 'to' ? typedTime(query.get(name)) : query.get(name))
  const given = names.map((name) => [name, typed(name)?.trim() || null])
  return {
    asked: { ...(Object.fromEntries(given) as Record<Name, string | null>), after: query.get('after') },
    isFiltered: given.some(([, value]) => value !== null),
  }
}
