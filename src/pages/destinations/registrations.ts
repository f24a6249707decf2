import type { Catalogue } from '../../messages/catalogue.ts'
import { jsonOf } from '../frame/answers.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { isOperator } from '../frame/viewer-rights.ts'
import { empty } from '../parts/empty.ts'
import { filterForm, textField } from '../parts/fields.ts'
import { html } from '../parts/html.ts'
import { kindText } from '../parts/kind-word.ts'
import { pageHead } from '../parts/page-head.ts'
import { type Column, table } from '../parts/table.ts'
import { timeOf } from '../parts/time.ts'
import { type ListedDestination, oldestOf, stateOf, urlOf } from './destination.ts'
import { linkOf, pagerOf } from './list.ts'

const PAGE = 50
const PATH = '/ui/registrations'

/** Destinations that apps made through the service's own API. */
export const REGISTRATIONS: Page = {
  path: '/registrations',
  scopes: ['destinations.read'],
  async render(request) {
    const { ask, query, words, viewer } = request
    const { destinations } = words
    const { registrations } = destinations
    const [name, after] = [query.get('name'), query.get('after')]
    const asked = { limit: PAGE, origin: 'registration,route', name, after }
    const page = jsonOf(await ask('listDestinations', { query: asked }))
    const search = textField('name', destinations.search, { value: name, isWide: true })
    const rows = page.data.length === 0 ? null : await tableOf(page.data, request)
    return {
      title: registrations.title,
      body: html`${pageHead(registrations.title, isOperator(viewer) && { href: `${PATH}/new`, text: registrations.create })}
<p>${registrations.intro}</p>
${filterForm(PATH, [search], destinations.show)}
${rows ?? empty(name ? destinations.none : registrations.none)}
${pagerOf(page, PATH, request)}`,
    }
  },
}

async function tableOf(list: readonly ListedDestination[], request: PageRequest) {
  const { words } = request
  const { destinations } = words
  const { registrations } = destinations
  const names = await clientNames(request)
  const columns: readonly Column<ListedDestination>[] = [
    { title: destinations.name, cell: linkOf },
    {
      title: registrations.app,
      cell: ({ owner }) =>
        owner === null ? destinations.operator : html`${names.get(owner)} <span class="id">${owner}</span>`,
    },
    { title: registrations.contract, cell: ({ origin, kinds }) => contractOf(origin, kinds, words) },
    { title: destinations.state, cell: (one) => stateOf(one, words) },
    { title: destinations.waiting, cell: ({ waiting, blocked }) => waiting + blocked, isNumber: true },
    { title: destinations.oldest, cell: oldestOf, isNumber: true },
    { title: destinations.url, cell: urlOf },
    { title: destinations.createdAt, cell: ({ createdAt }) => timeOf(createdAt) },
  ]
  return table(registrations.title, columns, list)
}

function contractOf(origin: ListedDestination['origin'], kinds: ListedDestination['kinds'], words: Catalogue): string {
  return origin === 'route'
    ? words.destinations.registrations.charges
    : (kinds ?? []).map((kind) => kindText(kind, words)).join(', ')
}

/** Only the operator may see the clients: all others read ids. */
async function clientNames({ ask, viewer }: PageRequest): Promise<ReadonlyMap<string, string>> {
  if (!isOperator(viewer)) return new Map()
  const { data } = jsonOf(await ask('listClients', { query: { limit: 1000, revoked: true } }))
  return new Map(data.map(({ clientId, name }) => [clientId, name]))
}
