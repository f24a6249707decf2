import { inContext, type Said, say } from '../../messages/say.ts'
import { jsonOf } from '../frame/answers.ts'
import { sliceOf } from '../frame/list-slices.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { breakable } from '../parts/breakable.ts'
import { empty } from '../parts/empty.ts'
import { filterForm, select } from '../parts/fields.ts'
import { html } from '../parts/html.ts'
import { pageHead } from '../parts/page-head.ts'
import { environmentText } from '../parts/realm.ts'
import { type Column, table } from '../parts/table.ts'
import { timeOf } from '../parts/time.ts'
import { type ClientView, clientState, LIST } from './client.ts'

const SHOWN: Readonly<Record<'active' | 'all', Said>> = {
  active: inContext('clients', say`active`),
  all: say`active and revoked`,
}

/** There are at most 1,000 that are not revoked. */
const ALL = 1000

/** People and apps. */
export const CLIENT_LIST: Page = {
  path: '/clients',
  scopes: 'operator',
  async render(request) {
    const { ask, query, t } = request
    const revoked = query.get('show') === 'all'
    const { data, more } = jsonOf(await ask('listClients', { query: { limit: ALL, revoked } }))
    const shown = sliceOf(data, { path: LIST, query, t })
    const options = (['active', 'all'] as const).map((one) => [one, t.of(SHOWN[one])] as const)
    const choice = select('show', t`State`, { options, chosen: revoked ? 'all' : 'active' })
    return {
      title: t`People and apps`,
      body: html`${pageHead(t`People and apps`, { href: `${LIST}/new`, text: t`New client` })}
<p>${t`Each person and each app has a client of the API, with an id and a secret. The log of actions names it.`}</p>
${filterForm(LIST, [choice], t`Show`)}
${data.length === 0 ? empty(t`There is no client.`) : table(t`People and apps`, columnsFor(request), shown.items)}
${more && html`<p class="hint">${t`There are more than ${{ count: ALL }} clients. The list ends here.`}</p>`}
${shown.pager}`,
    }
  },
}

function columnsFor({ t }: PageRequest): readonly Column<ClientView>[] {
  return [
    { title: t`Name`, cell: ({ clientId, name }) => html`<a href="${`${LIST}/${clientId}`}">${name}</a>` },
    { title: t`State`, cell: (one) => clientState(one, t) },
    { title: t`Environment`, cell: ({ environment }) => environmentText(environment, t) },
    { title: t`Scopes`, cell: ({ scopes }) => breakable(scopes.join(', ')) },
    { title: t`Client id`, cell: ({ clientId }) => html`<span class="id">${clientId}</span>` },
    { title: t.in('client')`Created`, cell: ({ createdAt }) => timeOf(createdAt) },
  ]
}
