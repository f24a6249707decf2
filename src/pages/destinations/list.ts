import { jsonOf } from '../frame/answers.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { withQuery } from '../frame/path-of.ts'
import { empty } from '../parts/empty.ts'
import { filterForm, textField } from '../parts/fields.ts'
import { type Html, html } from '../parts/html.ts'
import { pageHead } from '../parts/page-head.ts'
import { pager } from '../parts/pager.ts'
import { type Column, table } from '../parts/table.ts'
import {
  type ListedDestination,
  latencyText,
  oldestOf,
  LIST as PATH,
  stateOf,
  successText,
  urlOf,
} from './destination.ts'

const PAGE = 50

export const DESTINATION_LIST: Page = {
  path: '/destinations',
  scopes: ['destinations.read'],
  async render({ ask, query, words, viewer }) {
    const { destinations } = words
    const [name, after] = [query.get('name'), query.get('after')]
    const page = jsonOf(await ask('listDestinations', { query: { limit: PAGE, include: 'stats', name, after } }))
    const search = textField('name', destinations.search, { value: name, isWide: true })
    return {
      title: destinations.title,
      body: html`${pageHead(destinations.title, viewer.can('destinations.write') && { href: `${PATH}/new`, text: destinations.create })}
${filterForm(PATH, [search], destinations.show)}
${page.data.length === 0 ? noneOf({ query, words }) : listOf(page.data, { words })}
${pagerOf(page, PATH, { query, words })}`,
    }
  },
}

/** @param path of the page */
export function pagerOf(
  { next, more }: { readonly next: string | null; readonly more: boolean },
  path: string,
  { query, words }: Pick<PageRequest, 'query' | 'words'>,
): Html | null {
  const linkTo = (after: string | null) => withQuery(path, { ...Object.fromEntries(query), after })
  return pager({ first: query.has('after') ? linkTo(null) : null, next: more ? linkTo(next) : null }, words)
}

function noneOf({ query, words: { destinations } }: Pick<PageRequest, 'query' | 'words'>): Html {
  return query.size > 0 ? empty(destinations.none) : empty(destinations.noneAtAll)
}

function listOf(list: readonly ListedDestination[], { words }: Pick<PageRequest, 'words'>): Html {
  const { destinations } = words
  const columns: readonly Column<ListedDestination>[] = [
    { title: destinations.name, cell: linkOf },
    { title: destinations.state, cell: (one) => stateOf(one, words) },
    { title: destinations.waiting, cell: ({ waiting }) => waiting, isNumber: true },
    { title: destinations.blocked, cell: ({ blocked }) => blocked, isNumber: true },
    { title: destinations.oldest, cell: oldestOf, isNumber: true },
    { title: destinations.success, cell: ({ stats }) => stats && successText(stats, words), isNumber: true },
    { title: destinations.latency, cell: ({ stats }) => stats && latencyText(stats), isNumber: true },
    { title: destinations.url, cell: (one) => html`<span class="url">${urlOf(one)}</span>` },
  ]
  return table(destinations.title, columns, list)
}

export function linkOf({ id, name }: Pick<ListedDestination, 'id' | 'name'>): Html {
  return html`<a href="${`${PATH}/${id}`}">${name}</a>`
}
