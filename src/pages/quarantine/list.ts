import { QUARANTINE_REASONS } from '../../domain/accounts.ts'
import { QUARANTINE_STATES } from '../../domain/quarantine.ts'
import { jsonOf } from '../frame/answers.ts'
import { filtersIn, PAGE_ROWS, pagerOf } from '../frame/list-slices.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { empty } from '../parts/empty.ts'
import { filterForm, select, textField } from '../parts/fields.ts'
import { type Html, html } from '../parts/html.ts'
import { idOf } from '../parts/id.ts'
import { kindHtml } from '../parts/kind-word.ts'
import { environmentSelect, institutionSelect, realmText } from '../parts/realm.ts'
import { shortened } from '../parts/shortened-text.ts'
import { table } from '../parts/table.ts'
import { timeOf } from '../parts/time.ts'
import { REASONS, STATES } from '../quarantine/fact.ts'
import { type FactView, factState } from './fact.ts'

const PATH = '/ui/quarantine'
const ANY = 'any'
const FILTERS = ['state', 'reason', 'institution', 'environment', 'kind'] as const

export const QUARANTINE_LIST: Page = {
  path: '/quarantine',
  scopes: ['operations.read'],
  async render(request) {
    const { ask, query, t } = request
    // A person comes to decide: without a choice, the list has what waits for a decision.
    const state = query.get('state') ?? 'quarantined'
    const { asked, isFiltered } = filtersIn(query, FILTERS)
    const filter = { ...asked, state: state === ANY ? null : state }
    const page = jsonOf(await ask('listQuarantine', { query: { ...filter, limit: PAGE_ROWS } }))
    const { data } = page
    return {
      title: t`Quarantine`,
      body: html`<h1>${t`Quarantine`}</h1>
<p>${t`Facts about accounts that are not yours. They are stored and held back until you decide.`}</p>
${filtersOf(request, state)}
${data.length === 0 ? empty(isFiltered ? t`No fact matches the filters.` : t`No fact is in quarantine.`) : tableOf(data, request)}
${pagerOf(page, PATH, request)}`,
    }
  },
}

function filtersOf(request: PageRequest, state: string): Html {
  const { query, t } = request
  const chosen = (name: string) => query.get(name) ?? ''
  const any = ['', t`any`] as const
  const states = QUARANTINE_STATES.map((one) => [one, t.of(STATES[one])] as const)
  const reasons = QUARANTINE_REASONS.map((one) => [one, t.of(REASONS[one])] as const)
  const fields = [
    select('state', t`State`, { options: [...states, [ANY, t`any`]], chosen: state }),
    select('reason', t`Why`, { options: [any, ...reasons], chosen: chosen('reason') }),
    institutionSelect(request, chosen('institution')),
    environmentSelect(t, chosen('environment')),
    textField('kind', t`Kind`, { value: chosen('kind') }),
  ]
  return filterForm(PATH, fields, t`Filter`)
}

function tableOf(list: readonly FactView[], { t }: PageRequest): Html {
  const subjectOf = ({ subject }: FactView) => subject && idOf(shortened(subject))
  return table<FactView>(
    t`Quarantine`,
    [
      { title: t`Fact`, cell: ({ id }) => html`<a href="${`${PATH}/${id}`}">${id}</a>` },
      { title: t`State`, cell: (one) => factState(one, t) },
      { title: t`Received`, cell: ({ receivedAt }) => timeOf(receivedAt) },
      { title: t`Kind`, cell: ({ kind }) => kindHtml(kind, t) },
      { title: t`Reference`, cell: subjectOf },
      { title: t`Environment`, cell: (fact) => realmText(fact, t) },
      { title: t`Why`, cell: ({ reason }) => t.of(REASONS[reason]) },
    ],
    list,
  )
}
