import type { Speaker } from '../../messages/speaker.ts'
import type { Html } from '../parts/html.ts'
import { pager } from '../parts/pager.ts'
import { withQuery } from './path-of.ts'

/** A part of a list that the API gives as a whole, and the links to the other parts. The parameter `from` says where it starts. */
export function sliceOf<Item>(
  all: readonly Item[],
  {
    path,
    size,
    query,
    t,
  }: { readonly path: string; readonly size: number; readonly query: URLSearchParams; readonly t: Speaker },
): { readonly items: readonly Item[]; readonly pager: Html | null } {
  const asked = Number(query.get('from') ?? 0)
  const from = Number.isInteger(asked) && asked > 0 && asked < all.length ? asked : 0
  const linkTo = (start: number | null) => withQuery(path, { ...Object.fromEntries(query), from: start })
  const next = from + size < all.length ? linkTo(from + size) : null
  return { items: all.slice(from, from + size), pager: pager({ first: from > 0 ? linkTo(null) : null, next }, t) }
}
