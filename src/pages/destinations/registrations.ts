import type { Speaker } from '../../messages/speaker.ts'
import { jsonOf } from '../frame/answers.ts'
import { PAGE_ROWS, pagerOf } from '../frame/list-slices.ts'
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
import { linkOf } from './list.ts'

const PATH = '/ui/registrations'

/** Destinations that apps made through the service's own API. */
export const REGISTRATIONS: Page = {
  path: '/registrations',
  scopes: ['destinations.read'],
  async render(request) {
    const { ask, query, t, viewer } = request
    const [name, after] = [query.get('name'), query.get('after')]
    const asked = { limit: PAGE_ROWS, origin: 'registration,route', name, after }
    const page = jsonOf(await ask('listDestinations', { query: asked }))
    const search = textField('name', t`Part of the name or URL`, { value: name, isWide: true })
    const rows = page.data.length === 0 ? null : await tableOf(page.data, request)
    return {
      title: t`Registrations`,
      body: html`${pageHead(t`Registrations`, isOperator(viewer) && { href: `${PATH}/new`, text: t`Register for an app` })}
<p>${t`Addresses that apps registered here as they would at the service.`}</p>
${filterForm(PATH, [search], t`Show`)}
${rows ?? empty(name ? t`No destination matches.` : t`No app has registered an address.`)}
${pagerOf(page, PATH, request)}`,
    }
  },
}

async function tableOf(list: readonly ListedDestination[], request: PageRequest) {
  const { t } = request
  const names = await clientNames(request)
  const columns: readonly Column<ListedDestination>[] = [
    { title: t`Name`, cell: linkOf },
    {
      title: t`App`,
      cell: ({ owner }) =>
        owner === null ? t`the operator` : html`${names.get(owner)} <span class="id">${owner}</span>`,
    },
    { title: t`Registered for`, cell: ({ origin, kinds }) => contractOf(origin, kinds, t) },
    { title: t`State`, cell: (one) => stateOf(one, t) },
    { title: t`Pending`, cell: ({ waiting, blocked }) => waiting + blocked, isNumber: true },
    { title: t`Oldest`, cell: oldestOf, isNumber: true },
    { title: 'URL', cell: urlOf },
    { title: t`Created`, cell: ({ createdAt }) => timeOf(createdAt) },
  ]
  return table(t`Registrations`, columns, list)
}

function contractOf(origin: ListedDestination['origin'], kinds: ListedDestination['kinds'], t: Speaker): string {
  return origin === 'route' ? t`charges` : (kinds ?? []).map((kind) => kindText(kind, t)).join(', ')
}

/** Only the operator may see the clients: all others read ids. */
async function clientNames({ ask, viewer }: PageRequest): Promise<ReadonlyMap<string, string>> {
  if (!isOperator(viewer)) return new Map()
  const { data } = jsonOf(await ask('listClients', { query: { limit: 1000, revoked: true } }))
  return new Map(data.map(({ clientId, name }) => [clientId, name]))
}
