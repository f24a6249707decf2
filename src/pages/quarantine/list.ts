import { QUARANTINE_REASONS } from '../../domain/accounts.ts'
import { QUARANTINE_STATES } from '../../domain/quarantine.ts'
import { jsonOf } from '../frame/answers.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { withQuery } from '../frame/path-of.ts'
import { empty } from '../parts/empty.ts'
import { filterForm, select, textField } from '../parts/fields.ts'
import { type Html, html } from '../parts/html.ts'
import { idOf } from '../parts/id.ts'
import { kindHtml } from '../parts/kind-word.ts'
import { pager } from '../parts/pager.ts'
import { environmentOptions, institutionSelect, realmText } from '../parts/realm.ts'
import { shortened } from '../parts/shortened-text.ts'
import { table } from '../parts/table.ts'
import { timeOf } from '../parts/time.ts'
import { type FactView, factState } from './fact.ts'

const PAGE = 50
const PATH = '/ui/quarantine'
const ANY = 'any'

export const QUARANTINE_LIST: Page = {
  path: '/quarantine',
  scopes: ['operations.read'],
  async render(request) {
    const { ask, query, words } = request
    const { quarantine } = words
    const given = Object.fromEntries(query)
    // A person comes to decide: without a choice, the list has what waits for a decision.
    const state = given.state ?? 'quarantined'
    const { after, institution, environment, reason } = given
    const kind = given.kind?.trim()
    const asked = { limit: PAGE, after, kind, institution, environment, reason, state: state === ANY ? null : state }
    const { data, next, more } = jsonOf(await ask('listQuarantine', { query: asked }))
    const isFiltered = [...query].some(([name, value]) => value !== '' && name !== 'after')
    const linkTo = (after: string | null) => withQuery(PATH, { ...given, after })
    return {
      title: quarantine.title,
      body: html`<h1>${quarantine.title}</h1>
<p>${quarantine.intro}</p>
${filtersOf(request, state)}
${data.length === 0 ? empty(isFiltered ? quarantine.noneMatches : quarantine.none) : tableOf(data, request)}
${pager({ first: query.has('after') ? linkTo(null) : null, next: more ? linkTo(next) : null }, words)}`,
    }
  },
}

function filtersOf(request: PageRequest, state: string): Html {
  const { query, words } = request
  const { quarantine } = words
  const chosen = (name: string) => query.get(name) ?? ''
  const any = ['', quarantine.any] as const
  const states = QUARANTINE_STATES.map((one) => [one, quarantine.states[one]] as const)
  const reasons = QUARANTINE_REASONS.map((one) => [one, quarantine.reasons[one]] as const)
  const environments = environmentOptions(words)
  const fields = [
    select('state', quarantine.state, { options: [...states, [ANY, quarantine.any]], chosen: state }),
    select('reason', quarantine.why, { options: [any, ...reasons], chosen: chosen('reason') }),
    institutionSelect(request, chosen('institution')),
    select('environment', quarantine.environment, { options: [any, ...environments], chosen: chosen('environment') }),
    textField('kind', quarantine.kind, { value: chosen('kind') }),
  ]
  return filterForm(PATH, fields, quarantine.filter)
}

function tableOf(list: readonly FactView[], { words }: PageRequest): Html {
  const { quarantine } = words
  const subjectOf = ({ subject }: FactView) => subject && idOf(shortened(subject))
  return table<FactView>(
    quarantine.title,
    [
      { title: quarantine.id, cell: ({ id }) => html`<a href="${`${PATH}/${id}`}">${id}</a>` },
      { title: quarantine.state, cell: (one) => factState(one, words) },
      { title: quarantine.receivedAt, cell: ({ receivedAt }) => timeOf(receivedAt) },
      { title: quarantine.kind, cell: ({ kind }) => kindHtml(kind, words) },
      { title: quarantine.subject, cell: subjectOf },
      { title: quarantine.environment, cell: (fact) => realmText(fact, words) },
      { title: quarantine.why, cell: ({ reason }) => quarantine.reasons[reason] },
    ],
    list,
  )
}
