import type { GapsView } from '../../api/reconcile/view.ts'
import { jsonOf, resultOf } from '../frame/answers.ts'
import type { FormAction, Page, PageRequest } from '../frame/page.ts'
import { withQuery } from '../frame/path-of.ts'
import { isOperator, seesBothEnvironments } from '../frame/viewer-rights.ts'
import { confirmed } from '../parts/confirm.ts'
import { empty } from '../parts/empty.ts'
import { figures } from '../parts/facts.ts'
import { dayField, filterForm, select } from '../parts/fields.ts'
import { type Html, html } from '../parts/html.ts'
import { idOf } from '../parts/id.ts'
import { kindHtml } from '../parts/kind-word.ts'
import { environmentOptions, institutionSelect, realmText } from '../parts/realm.ts'
import { shortened } from '../parts/shortened-text.ts'
import { table } from '../parts/table.ts'
import { timeOf } from '../parts/time.ts'

const MOST_DAYS = 100
const MOST_OPENINGS = 100
const PATH = '/ui/gaps'
const FILTERS = ['since', 'institution', 'environment']

type Day = GapsView['data'][number]

export const GAPS: Page = {
  path: '/gaps',
  scopes: ['operations.read', 'events.read'],
  async render(request) {
    const { ask, query, words } = request
    const { gaps } = words
    // Days are in UTC, and so is the field. A link may name a time.
    const since = query.get('since')
    const [institution, environment] = [query.get('institution'), query.get('environment')]
    const answer = await ask('listGaps', { query: { since, institution, environment, limit: MOST_DAYS } })
    const { data, openings } = jsonOf(answer)
    const isFiltered = FILTERS.some((name) => query.get(name))
    return {
      title: gaps.title,
      body: html`<h1>${gaps.title}</h1>
<p>${gaps.intro}</p>
${filtersOf(request)}
${await reconcileOf(request)}
${data.length === 0 ? empty(isFiltered ? gaps.noneMatches : gaps.none) : html`${sumsOf(data, request)}${daysOf(data, request)}`}
${openings.length > 0 && openingsOf(openings, request)}`,
    }
  },
}

/** The button that asks the service, for who may, and the last time it was asked. */
async function reconcileOf({ ask, words, viewer, formToken }: PageRequest): Promise<Html | null> {
  const { gaps } = words
  if (!viewer.can('operations.read') && !viewer.can('operations.write')) return null
  const { kinds, run } = jsonOf(await ask('showReconcile'))
  if (kinds.length === 0) return null
  const form = { action: `${PATH}/reconcile`, text: gaps.ask, formToken, words, reason: 'optional' } as const
  const learned = run?.environments.reduce((sum, { found }) => sum + found, 0) ?? 0
  return html`<section id="reconcile">${
    run !== null && html`<p>${gaps.asked} ${timeOf(run.beganAt)}: ${gaps.runs[run.state]}, ${gaps.learned(learned)}</p>`
  }${viewer.can('operations.write') && confirmed(form, gaps.askHint)}</section>`
}

/** As `portaria service reconcile`. */
export const RECONCILE: FormAction = {
  path: '/gaps/reconcile',
  submit: async ({ ask, form, words }) =>
    resultOf(await ask('startReconcile', { query: { reason: form.get('reason')?.trim() } }), PATH, words.gaps.asking),
}

function filtersOf(request: PageRequest): Html {
  const { query, words, viewer } = request
  const { gaps } = words
  const chosen = (name: string) => query.get(name) ?? ''
  const environments = [['', gaps.any] as const, ...environmentOptions(words)]
  const fields = [
    dayField('since', gaps.since, chosen('since')),
    institutionSelect(request, chosen('institution')),
    seesBothEnvironments(viewer)
      ? select('environment', gaps.environment, { options: environments, chosen: chosen('environment') })
      : null,
  ]
  return filterForm(PATH, fields, gaps.filter)
}

function sumsOf(days: readonly Day[], { words: { gaps } }: PageRequest): Html {
  const sumOf = (name: 'unknown' | 'reconciled' | 'received') => days.reduce((sum, day) => sum + day[name], 0)
  return figures([
    [gaps.unknown, sumOf('unknown')],
    [gaps.reconciled, sumOf('reconciled')],
    [gaps.received, sumOf('received')],
  ])
}

function daysOf(days: readonly Day[], { words }: PageRequest): Html {
  const { gaps } = words
  return table<Day>(
    gaps.title,
    [
      { title: gaps.day, cell: ({ day }) => html`<span class="nowrap">${day}</span>`, isBare: true },
      { title: gaps.kind, cell: ({ kind }) => kindHtml(kind, words), isBare: true },
      { title: gaps.environment, cell: (one) => realmText(one, words), isBare: true },
      { title: gaps.received, cell: ({ received }) => received, isNumber: true },
      { title: gaps.reconciled, cell: ({ reconciled }) => reconciled, isNumber: true },
      { title: gaps.duplicates, cell: ({ duplicates }) => duplicates > 0 && duplicates, isNumber: true },
      { title: gaps.unknown, cell: ({ unknown }) => unknown, isNumber: true },
      { title: gaps.delay, cell: ({ delay }) => delay !== null && gaps.seconds(delay), isNumber: true },
      { title: gaps.settledBy, cell: ({ settledBy }) => settledBy && settledText(settledBy, gaps.question) },
    ],
    days,
  )
}

/** Endpoints are shown as they are. */
function settledText(settledBy: string, question: string): Html | string {
  return settledBy === 'question to the service' ? question : html`<code>${settledBy}</code>`
}

function openingsOf(openings: readonly string[], { words: { gaps }, viewer }: PageRequest): Html {
  const mayFind = viewer.can('events.read') || viewer.can('support.read')
  const items = openings
    .slice(0, MOST_OPENINGS)
    .map((id) => html`<li>${mayFind ? linkTo(id) : idOf(shortened(id))}</li>\n`)
  const more = openings.length - items.length
  return html`<h2>${gaps.openings}</h2>
<p class="hint">${gaps.openingsHint}</p>
<ul>${items}</ul>
${more > 0 && html`<p>${isOperator(viewer) ? gaps.moreOfOperator(more) : gaps.more(more)}</p>`}`
}

function linkTo(id: string): Html {
  return html`<a href="${withQuery('/ui/', { search: id })}">${idOf(shortened(id))}</a>`
}
