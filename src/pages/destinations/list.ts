import { jsonOf } from '../frame/answers.ts'
import { PAGE_ROWS, pagerOf } from '../frame/list-slices.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { empty } from '../parts/empty.ts'
import { filterForm, textField } from '../parts/fields.ts'
import { type Html, html } from '../parts/html.ts'
import { pageHead } from '../parts/page-head.ts'
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

export const DESTINATION_LIST: Page = {
  path: '/destinations',
  scopes: ['destinations.read'],
  async render({ ask, query, t, viewer }) {
    const [name, after] = [query.get('name'), query.get('after')]
    const page = jsonOf(await ask('listDestinations', { query: { limit: PAGE_ROWS, include: 'stats', name, after } }))
    const search = textField('name', t`Part of the name or URL`, { value: name, isWide: true })
    return {
      title: t`Destinations`,
      body: html`${pageHead(t`Destinations`, viewer.can('destinations.write') && { href: `${PATH}/new`, text: t`New destination` })}
${filterForm(PATH, [search], t`Show`)}
${page.data.length === 0 ? noneOf({ query, t }) : listOf(page.data, { t })}
${pagerOf(page, PATH, { query, t })}`,
    }
  },
}

function noneOf({ query, t }: Pick<PageRequest, 'query' | 't'>): Html {
  return query.size > 0 ? empty(t`No destination matches.`) : empty(t`There is no destination yet.`)
}

function listOf(list: readonly ListedDestination[], { t }: Pick<PageRequest, 't'>): Html {
  const columns: readonly Column<ListedDestination>[] = [
    { title: t`Name`, cell: linkOf },
    { title: t`State`, cell: (one) => stateOf(one, t) },
    { title: t`Pending`, cell: ({ waiting }) => waiting, isNumber: true },
    { title: t`Blocked`, cell: ({ blocked }) => blocked, isNumber: true },
    { title: t`Oldest`, cell: oldestOf, isNumber: true },
    { title: t`Success`, cell: ({ stats }) => stats && successText(stats, t), isNumber: true },
    { title: 'p50 / p99', cell: ({ stats }) => stats && latencyText(stats), isNumber: true },
    { title: 'URL', cell: (one) => html`<span class="url">${urlOf(one)}</span>` },
  ]
  return table(t`Destinations`, columns, list)
}

export function linkOf({ id, name }: Pick<ListedDestination, 'id' | 'name'>): Html {
  return html`<a href="${`${PATH}/${id}`}">${name}</a>`
}
