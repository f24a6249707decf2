import type { GapsView } from '../../api/reconcile/view.ts'
import { inContext, plural, type Said, say } from '../../messages/say.ts'
import { jsonOf, resultOf } from '../frame/answers.ts'
import type { FormAction, Page, PageRequest } from '../frame/page.ts'
import { withQuery } from '../frame/path-of.ts'
import { isOperator, seesBothEnvironments } from '../frame/viewer-rights.ts'
import { confirmed } from '../parts/confirm.ts'
import { empty } from '../parts/empty.ts'
import { figures } from '../parts/facts.ts'
import { dayField, filterForm } from '../parts/fields.ts'
import { type Html, html } from '../parts/html.ts'
import { idOf } from '../parts/id.ts'
import { kindHtml } from '../parts/kind-word.ts'
import { environmentSelect, institutionSelect, realmText } from '../parts/realm.ts'
import { shortened } from '../parts/shortened-text.ts'
import { table } from '../parts/table.ts'
import { timeOf } from '../parts/time.ts'

const RUNS: Readonly<Record<'running' | 'done' | 'failed', Said>> = {
  running: say`it goes on`,
  done: say`done`,
  failed: inContext('outcome', say`failed`),
}

const MOST_DAYS = 100
const MOST_OPENINGS = 100
const PATH = '/ui/gaps'
const FILTERS = ['since', 'institution', 'environment']

type Day = GapsView['data'][number]

export const GAPS: Page = {
  path: '/gaps',
  scopes: ['operations.read', 'events.read'],
  async render(request) {
    const { ask, query, t } = request
    // Days are in UTC, and so is the field. A link may name a time.
    const [since, institution, environment] = FILTERS.map((name) => query.get(name))
    const answer = await ask('listGaps', { query: { since, institution, environment, limit: MOST_DAYS } })
    const { data, openings } = jsonOf(answer)
    const isFiltered = FILTERS.some((name) => query.get(name))
    return {
      title: t`Gaps`,
      body: html`<h1>${t`Gaps`}</h1>
<p>${t`What was received, what the service was asked for because no callback had come, and what is not known. Days are in UTC; for what is unknown, the local day of the request.`}</p>
${filtersOf(request)}
${await reconcileOf(request)}
${data.length === 0 ? empty(isFiltered ? t`No day matches the filters.` : t`No events, and no gaps.`) : html`${sumsOf(data, request)}${daysOf(data, request)}`}
${openings.length > 0 && openingsOf(openings, request)}`,
    }
  },
}

/** The button that asks the service, for who may, and the last time it was asked. */
async function reconcileOf({ ask, t, viewer, formToken }: PageRequest): Promise<Html | null> {
  if (!viewer.can('operations.read') && !viewer.can('operations.write')) return null
  const { kinds, run } = jsonOf(await ask('showReconcile'))
  if (kinds.length === 0) return null
  const form = {
    action: `${PATH}/reconcile`,
    text: t`Ask the service for what was missed`,
    formToken,
    t,
    reason: 'optional',
  } as const
  const learned = run?.environments.reduce((sum, { found }) => sum + found, 0) ?? 0
  return html`<section id="reconcile">${
    run !== null &&
    html`<p>${t`The service was asked at`} ${timeOf(run.beganAt)}: ${t.of(RUNS[run.state])}, ${t.of(plural(learned, say`1 event recovered`, say`{count} events recovered`))}</p>`
  }${viewer.can('operations.write') && confirmed(form, t`It runs in the background. What the service says becomes events, as if its callbacks had come.`)}</section>`
}

/** As `portaria service reconcile`. */
export const RECONCILE: FormAction = {
  path: '/gaps/reconcile',
  submit: async ({ ask, form, t }) =>
    resultOf(
      await ask('startReconcile', { query: { reason: form.get('reason')?.trim() } }),
      PATH,
      t`The service is being asked. Reload the page to see what it says.`,
    ),
}

function filtersOf(request: PageRequest): Html {
  const { query, t, viewer } = request
  const chosen = (name: string) => query.get(name) ?? ''
  const fields = [
    dayField('since', t`Since the day (UTC)`, chosen('since')),
    institutionSelect(request, chosen('institution')),
    seesBothEnvironments(viewer) ? environmentSelect(t, chosen('environment')) : null,
  ]
  return filterForm(PATH, fields, t`Filter`)
}

function sumsOf(days: readonly Day[], { t }: PageRequest): Html {
  const sumOf = (name: 'unknown' | 'reconciled' | 'received') => days.reduce((sum, day) => sum + day[name], 0)
  return figures([
    [t`Unknown`, sumOf('unknown')],
    [t`Reconciled`, sumOf('reconciled')],
    [t.in('events')`Received`, sumOf('received')],
  ])
}

function daysOf(days: readonly Day[], { t }: PageRequest): Html {
  return table<Day>(
    t`Gaps`,
    [
      { title: t`Day`, cell: ({ day }) => html`<span class="nowrap">${day}</span>`, isBare: true },
      { title: t`Kind`, cell: ({ kind }) => kindHtml(kind, t), isBare: true },
      { title: t`Environment`, cell: (one) => realmText(one, t), isBare: true },
      { title: t.in('events')`Received`, cell: ({ received }) => received, isNumber: true },
      { title: t`Reconciled`, cell: ({ reconciled }) => reconciled, isNumber: true },
      { title: t`Duplicates`, cell: ({ duplicates }) => duplicates > 0 && duplicates, isNumber: true },
      { title: t`Unknown`, cell: ({ unknown }) => unknown, isNumber: true },
      {
        title: t`Delay (95th percentile)`,
        cell: ({ delay }) => delay !== null && `${delay} s`,
        isNumber: true,
      },
      {
        title: t`Settled by`,
        cell: ({ settledBy }) => settledBy && settledText(settledBy, t`a question to the service`),
      },
    ],
    days,
  )
}

/** Endpoints are shown as they are. */
function settledText(settledBy: string, question: string): Html | string {
  return settledBy === 'question to the service' ? question : html`<code>${settledBy}</code>`
}

function openingsOf(openings: readonly string[], { t, viewer }: PageRequest): Html {
  const mayFind = viewer.can('events.read') || viewer.can('support.read')
  const items = openings
    .slice(0, MOST_OPENINGS)
    .map((id) => html`<li>${mayFind ? linkTo(id) : idOf(shortened(id))}</li>\n`)
  const more = openings.length - items.length
  return html`<h2>${t`Openings that wait or were refused`}</h2>
<p class="hint">${t`The service does not tell which. They are asked for again, ever more rarely.`}</p>
<ul>${items}</ul>
${more > 0 && html`<p>${isOperator(viewer) ? t`${{ count: more }} more; to list them, on the machine of the gateway: portaria service gaps` : t`${{ count: more }} more, which the operator can list`}</p>`}`
}

function linkTo(id: string): Html {
  return html`<a href="${withQuery('/ui/', { search: id })}">${idOf(shortened(id))}</a>`
}
