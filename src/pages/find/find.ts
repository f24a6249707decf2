import type { Answer } from '../../api/calls.ts'
import type { eventPageSchema } from '../../api/events/schema.ts'
import type { View } from '../../api/http/schema-parts.ts'
import type { DeliveryState } from '../../domain/delivery.ts'
import { KINDS_BY_NAME_ONLY } from '../../domain/event.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import { printable } from '../../platform/control-characters.ts'
import { amountText } from '../event/amount.ts'
import { nameOf } from '../event/model.ts'
import { jsonOf } from '../frame/answers.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { pathOf } from '../frame/path-of.ts'
import { seesBothEnvironments, seesEveryDelivery } from '../frame/viewer-rights.ts'
import { badge } from '../parts/badge.ts'
import { empty } from '../parts/empty.ts'
import { select } from '../parts/fields.ts'
import { type Html, html } from '../parts/html.ts'
import { pager } from '../parts/pager.ts'
import { environmentOptions, institutionSelect, realmText } from '../parts/realm.ts'
import { type Column, table } from '../parts/table.ts'
import { timeOf } from '../parts/time.ts'

import { asked, pagePath, type Typed, typedIn } from './query.ts'

type Found = View<typeof eventPageSchema>
type FoundEvent = Found['data'][number]

/** The start page: one box for every value, and the events that have it. */
export const FIND: Page = {
  path: '/',
  scopes: ['events.read', 'support.read'],
  async render(request) {
    const { query, words, ask } = request
    const typed = typedIn(query)
    const after = query.get('after')
    const wanted = asked(typed, after)
    const [lag, found] = await Promise.all([
      lagOf(request),
      'query' in wanted ? ask('listEvents', wanted) : words.find.problems(wanted.problems),
    ])
    const body = html`<h1>${words.find.title}</h1>
${form(request, typed)}
${lag}
${typeof found === 'string' ? problem(found) : results(request, typed, after, found)}`
    return { title: typed.search === '' ? words.find.title : `${typed.search} · ${words.find.title}`, body }
  },
}

function form(request: PageRequest, typed: Typed): Html {
  const { words, viewer, kinds } = request
  const { find } = words
  const known = [...new Set([...kinds, ...KINDS_BY_NAME_ONLY, ...(typed.kind === '' ? [] : [typed.kind])])]
  const { search: _search, ...filters } = typed
  const isFiltered = Object.values(filters).some((text) => text !== '')
  const ofKinds = [['', find.everyKind] as const, ...known.map((kind) => [kind, kind] as const)]
  const ofEnvironments = [['', find.both] as const, ...environmentOptions(words)]
  return html`<form method="get" action="/ui/" role="search" class="card">
<div class="fields">
<p class="grow"><label for="search">${find.search}</label>
<input id="search" name="search" type="search" value="${typed.search}" maxlength="200" autocomplete="off" spellcheck="false" aria-describedby="search-hint"></p>
<p><button>${find.button}</button></p>
</div>
<p class="hint" id="search-hint">${find.hint}</p>
<details${isFiltered && html` open`}><summary>${find.filters}</summary>
<div class="fields">
${select('kind', find.kind, { options: ofKinds, chosen: typed.kind })}
${institutionSelect(request, typed.institution)}
${seesBothEnvironments(viewer) && select('environment', find.environment, { options: ofEnvironments, chosen: typed.environment })}
<p><label for="status">${find.status}</label><input id="status" name="status" value="${typed.status}" maxlength="100" autocomplete="off"></p>
<p><label for="from">${find.from}</label><input id="from" name="from" type="date" value="${typed.from}"></p>
<p><label for="to">${find.to}</label><input id="to" name="to" type="date" value="${typed.to}"></p>
</div></details>
</form>`
}

/** Whether the search misses the newest events. null: it is complete, or the user may not see this. */
async function lagOf({ viewer, ask, words }: PageRequest): Promise<Html | null> {
  if (!viewer.can('operations.read')) return null
  const answer = await ask('showSearch')
  if (answer.status >= 400) return null
  const { lagEvents, lagSeconds, isRebuilding } = jsonOf(answer)
  if (lagEvents === 0 && !isRebuilding) return null
  return html`<p class="hint" role="status">${isRebuilding ? words.find.rebuilding : words.find.lag(lagEvents, Math.ceil(lagSeconds))}</p>`
}

function results(request: PageRequest, typed: Typed, after: string | null, answer: Answer<Found>): Html {
  const { words } = request
  // A search that cannot be read: the person corrects it here.
  if (answer.status === 400) return problem(unreadable(request, answer))
  const { data, next, more } = jsonOf(answer)
  const pages = pager(
    { first: after === null ? null : pagePath(typed, null), next: more ? pagePath(typed, next) : null },
    words,
  )
  if (data.length > 0) return html`${table(words.find.results, columns(request), data)}${pages}`
  if (more) return html`${empty(words.find.nothingYet, words.find.goOn)}${pages}`
  return html`${nothing(typed, request)}${pages}`
}

/** The API says it in English. */
function unreadable({ words: { find }, viewer }: PageRequest, { json }: Answer): string {
  const { errors = [] } = json as { errors?: readonly { readonly parameter?: string }[] }
  if (!errors.some(({ parameter }) => parameter === 'search')) return find.unreadableFilter
  return viewer.can('events.read') ? find.unreadable : `${find.unreadable} ${find.maskedAdvice}`
}

function problem(text: string): Html {
  return html`<p class="flash bad" role="alert">${text}</p>`
}

function nothing(typed: Typed, { words: { find }, viewer }: PageRequest): Html {
  if (Object.values(typed).every((text) => text === '')) return empty(find.nothingStored, find.noEvents)
  const advice = viewer.can('events.read') ? find.advice : find.maskedAdvice
  return empty(find.nothing, html`${advice} <a href="/ui/">${find.everything}</a>`)
}

function columns({ words, viewer, language, institutions }: PageRequest): readonly Column<FoundEvent>[] {
  const { find } = words
  const all: readonly (Column<FoundEvent> | false)[] = [
    {
      title: find.subject,
      cell: (event) => html`<a href="/ui${pathOf`/events/${event.id}`}">${printable(nameOf(event))}</a>`,
    },
    { title: find.time, cell: ({ receivedAt }) => timeOf(receivedAt) },
    { title: find.kind, cell: ({ kind }) => printable(kind) },
    { title: find.status, cell: ({ status }) => status !== null && printable(status) },
    { title: find.amount, cell: (event) => amountText(event, language), isNumber: true },
    {
      title: find.delivered,
      cell: ({ deliveries }) =>
        deliveries &&
        (deliveredBadge(deliveries, words) ??
          badge(seesEveryDelivery(viewer) ? find.noDestination : find.noOwnDestination)),
    },
    (seesBothEnvironments(viewer) || institutions.length > 0) && {
      title: find.environment,
      cell: (event) => realmText(event, words),
    },
  ]
  return all.filter((column) => column !== false)
}

/** The worst state counts; null: there is no delivery. */
function deliveredBadge(counts: Readonly<Record<DeliveryState, number>>, { find }: Catalogue): Html | null {
  const { pending, blocked, delivered, exhausted, canceled } = counts
  const all = pending + blocked + delivered + exhausted + canceled
  if (all === 0) return null
  if (exhausted > 0) return badge(find.failed(exhausted, all), 'bad')
  if (pending + blocked > 0) return badge(find.waiting(pending + blocked, all), 'warn')
  if (delivered > 0) return badge(find.deliveredTo(delivered, all), 'good')
  return badge(find.canceled)
}
