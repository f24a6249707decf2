import { jsonOf } from '../frame/answers.ts'
import { sliceOf } from '../frame/list-slices.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { breakable } from '../parts/breakable.ts'
import { empty } from '../parts/empty.ts'
import { filterForm, select } from '../parts/fields.ts'
import { html } from '../parts/html.ts'
import { pageHead } from '../parts/page-head.ts'
import { type Column, table } from '../parts/table.ts'
import { timeOf } from '../parts/time.ts'
import { type ClientView, clientState, LIST } from './client.ts'

/** There are at most 1,000 that are not revoked. */
const ALL = 1000
const PAGE = 50

/** People and apps. */
export const CLIENT_LIST: Page = {
  path: '/clients',
  scopes: 'operator',
  async render(request) {
    const { ask, query, words } = request
    const { clients } = words
    const revoked = query.get('show') === 'all'
    const { data, more } = jsonOf(await ask('listClients', { query: { limit: ALL, revoked } }))
    const shown = sliceOf(data, { path: LIST, size: PAGE, query, words })
    const options = (['active', 'all'] as const).map((one) => [one, clients.shown[one]] as const)
    const choice = select('show', clients.state, { options, chosen: revoked ? 'all' : 'active' })
    return {
      title: clients.title,
      body: html`${pageHead(clients.title, { href: `${LIST}/new`, text: clients.create })}
<p>${clients.intro}</p>
${filterForm(LIST, [choice], clients.show)}
${data.length === 0 ? empty(clients.none) : table(clients.title, columnsFor(request), shown.items)}
${more && html`<p class="hint">${clients.more(ALL)}</p>`}
${shown.pager}`,
    }
  },
}

function columnsFor({ words }: PageRequest): readonly Column<ClientView>[] {
  const { clients, frame } = words
  return [
    { title: clients.name, cell: ({ clientId, name }) => html`<a href="${`${LIST}/${clientId}`}">${name}</a>` },
    { title: clients.state, cell: (one) => clientState(one, words) },
    { title: clients.environment, cell: ({ environment }) => frame.environments[environment] },
    { title: clients.scopes, cell: ({ scopes }) => breakable(scopes.join(', ')) },
    { title: clients.id, cell: ({ clientId }) => html`<span class="id">${clientId}</span>` },
    { title: clients.createdAt, cell: ({ createdAt }) => timeOf(createdAt) },
  ]
}
