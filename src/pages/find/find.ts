import type { Answer } from '../../api/calls.ts'
import type { SubjectView } from '../../api/subjects/view.ts'
import { jsonOf } from '../frame/answers.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import {
  asked,
  nextPlace,
  type Place,
  pagePath,
  placeIn,
  previousPlace,
  type Typed,
  typedIn,
} from '../frame/search-query.ts'
import { empty } from '../parts/empty.ts'
import { type Html, html } from '../parts/html.ts'
import { pager } from '../parts/pager.ts'
import { csvPath } from './csv.ts'
import { searchForm } from './form.ts'
import { againForm, type Found, type FoundEvent, resultTable, SINGLE } from './results.ts'
import { subjectList } from './subjects.ts'

/** The start page: one box for every value, and the payments that have it, or the single events. */
export const FIND: Page = {
  path: '/',
  scopes: ['events.read', 'support.read'],
  async render(request) {
    const { query, words } = request
    const typed = typedIn(query)
    const place = placeIn(query)
    const [form, lag, found] = await Promise.all([
      searchForm(request, typed),
      lagOf(request),
      foundBy(request, typed, place),
    ])
    const body = html`<h1>${words.find.title}</h1>
${form}
${lag}
${found}`
    const title = typed.search === '' ? words.find.title : `${typed.search} · ${words.find.title}`
    return { title, body, scripts: ['choose.js'], styles: ['find.css'] }
  },
}

async function foundBy(request: PageRequest, typed: Typed, place: Place): Promise<Html> {
  const { words, ask } = request
  const { query, problems } = asked(typed, place.after)
  if (query === undefined) return problem(words.find.problems(problems))
  const isOfEvents = typed.view === 'events'
  const back = pagePath(typed, place).slice('/ui/?'.length)
  const answer = isOfEvents
    ? await ask('listEvents', { query: { ...query, ...SINGLE } })
    : await ask('listSubjects', { query })
  // A search that cannot be read: the person corrects it here.
  if (answer.status === 400) return problem(unreadable(request, answer))
  const { data, next, more } = jsonOf<Pick<Found, 'next' | 'more'> & { readonly data: readonly unknown[] }>(answer)
  return html`${viewSwitch(typed, words)}${pageOf(request, { typed, place, count: data.length, next, more }, () =>
    isOfEvents
      ? resultTable(request, data as readonly FoundEvent[], back)
      : subjectList(request, data as readonly SubjectView[], back),
  )}`
}

function viewSwitch(typed: Typed, { find }: Catalogue): Html {
  const link = (view: string, text: string) =>
    html`<li><a class="chip" href="${pagePath({ ...typed, view })}"${typed.view === view && html` aria-current="true"`}>${text}</a></li>`
  return html`<ul class="chips" aria-label="${find.views.title}">${link('', find.views.payments)}${link('events', find.views.events)}</ul>`
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

interface Results {
  readonly typed: Typed
  readonly place: Place
  readonly count: number
  readonly next: string
  readonly more: boolean
}

function pageOf(request: PageRequest, found: Results, list: () => Html): Html {
  const { words } = request
  const { typed, place, count, next, more } = found
  const previous = previousPlace(place)
  const links = {
    first: previous === null ? null : pagePath(typed),
    previous: previous === null ? null : pagePath(typed, previous),
    next: more ? pagePath(typed, nextPlace(place, next, count)) : null,
  }
  const pages = pager(links, words)
  if (count > 0)
    return html`<p class="hint"><span role="status">${countText(found, words)}</span> · <a href="${csvPath(typed)}" download data-in-zone>${words.find.csv}</a></p>
${list()}${againForm(request, typed)}${pages}`
  if (more) return html`${empty(words.find.nothingYet, words.find.goOn)}${pages}`
  return html`${nothing(typed, request)}${pages}`
}

/** How many there are, as far as the pages so far have shown. */
function countText({ typed, place: { seen }, count, more }: Results, { find, common }: Catalogue): string {
  const through = seen + count
  const { moreThan, partOf, partOfMore } = typed.view === 'events' ? find : find.lines
  if (seen === 0)
    return more ? moreThan(through) : typed.view === 'events' ? common.events(through) : find.lines.all(through)
  return more ? partOfMore(seen + 1, through) : partOf(seen + 1, through)
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
  // Without words nothing of what is masked was searched for.
  const advice = typed.search === '' ? find.filterAdvice : viewer.can('events.read') ? find.advice : find.maskedAdvice
  return empty(find.nothing, html`${advice} <a href="/ui/">${find.everything}</a>`)
}
