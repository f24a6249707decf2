import type { Answer } from '../../api/calls.ts'
import type { SubjectView } from '../../api/subjects/view.ts'
import { plural, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { jsonOf } from '../frame/answers.ts'
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
import { MASKED_ADVICE, subjectList } from './subjects.ts'

/** The start page: one box for every value, and the payments that have it, or the single events. */
export const FIND: Page = {
  path: '/',
  scopes: ['events.read', 'support.read'],
  async render(request) {
    const { query, t } = request
    const typed = typedIn(query)
    const place = placeIn(query)
    const [form, lag, found] = await Promise.all([
      searchForm(request, typed),
      lagOf(request),
      foundBy(request, typed, place),
    ])
    const body = html`<h1>${t`Find`}</h1>
${form}
${lag}
${found}`
    const title = typed.search === '' ? t`Find` : `${typed.search} · ${t`Find`}`
    return { title, body, scripts: ['choose.js'], styles: ['find.css'] }
  },
}

async function foundBy(request: PageRequest, typed: Typed, place: Place): Promise<Html> {
  const { t, ask } = request
  const { query, problems } = asked(typed, place.after)
  if (query === undefined) return problem(notTimes(problems, t))
  const isOfEvents = typed.view === 'events'
  const back = pagePath(typed, place).slice('/ui/?'.length)
  const answer = isOfEvents
    ? await ask('listEvents', { query: { ...query, ...SINGLE } })
    : await ask('listSubjects', { query })
  // A search that cannot be read: the person corrects it here.
  if (answer.status === 400) return problem(unreadable(request, answer))
  const { data, next, more } = jsonOf<Pick<Found, 'next' | 'more'> & { readonly data: readonly unknown[] }>(answer)
  return html`${viewSwitch(typed, t)}${pageOf(request, { typed, place, count: data.length, next, more }, () =>
    isOfEvents
      ? resultTable(request, data as readonly FoundEvent[], back)
      : subjectList(request, data as readonly SubjectView[], back),
  )}`
}

function viewSwitch(typed: Typed, t: Speaker): Html {
  const link = (view: string, text: string) =>
    html`<li><a class="chip" href="${pagePath({ ...typed, view })}"${typed.view === view && html` aria-current="true"`}>${text}</a></li>`
  return html`<ul class="chips" aria-label="${t`What is listed`}">${link('', t`Payments`)}${link('events', t`Single events`)}</ul>`
}

/** Whether the search misses the newest events. null: it is complete, or the user may not see this. */
async function lagOf({ viewer, ask, t }: PageRequest): Promise<Html | null> {
  if (!viewer.can('operations.read')) return null
  const answer = await ask('showSearch')
  if (answer.status >= 400) return null
  const { lagEvents, lagSeconds, isRebuilding } = jsonOf(answer)
  if (lagEvents === 0 && !isRebuilding) return null
  return html`<p class="hint" role="status">${isRebuilding ? t`The search index is being made again: older events may be missing until it is done.` : lagText(lagEvents, Math.ceil(lagSeconds), t)}</p>`
}

function lagText(events: number, seconds: number, t: Speaker): string {
  return t.of(
    plural(
      events,
      say`The search does not find the newest event yet: it is ${{ seconds }} s behind.`,
      say`The search does not find the newest {count} events yet: it is ${{ seconds }} s behind.`,
    ),
  )
}

interface Results {
  readonly typed: Typed
  readonly place: Place
  readonly count: number
  readonly next: string
  readonly more: boolean
}

function pageOf(request: PageRequest, found: Results, list: () => Html): Html {
  const { t } = request
  const { typed, place, count, next, more } = found
  const previous = previousPlace(place)
  const links = {
    first: previous === null ? null : pagePath(typed),
    previous: previous === null ? null : pagePath(typed, previous),
    next: more ? pagePath(typed, nextPlace(place, next, count)) : null,
  }
  const pages = pager(links, t)
  if (count > 0)
    return html`<p class="hint"><span role="status">${countText(found, t)}</span> · <a href="${csvPath(typed)}" download data-in-zone>${t`Download as CSV`}</a></p>
${list()}${againForm(request, typed)}${pages}`
  if (more) return html`${empty(t`Nothing was found among the newer events.`, t`Go on with the older ones.`)}${pages}`
  return html`${nothing(typed, request)}${pages}`
}

/** How many there are, as far as the pages so far have shown. */
function countText({ typed, place: { seen }, count, more }: Results, t: Speaker): string {
  const through = seen + count
  const from = seen + 1
  if (typed.view === 'events') {
    if (seen === 0)
      return more
        ? t`More than ${{ count }} events, newest first`
        : t.of(plural(count, say`1 event`, say`{count} events`))
    return more
      ? t`Events ${{ from }} to ${{ through }} of more than ${{ through }}`
      : t`Events ${{ from }} to ${{ through }} of ${{ through }}`
  }
  if (seen === 0)
    return more ? t`More than ${{ count }}, newest change first` : t.of(plural(count, say`1 found`, say`{count} found`))
  return more
    ? t`${{ from }} to ${{ through }} of more than ${{ through }}`
    : t`${{ from }} to ${{ through }} of ${{ through }}`
}

/** The API says it in English. */
function unreadable({ t, viewer }: PageRequest, { json }: Answer): string {
  const { errors = [] } = json as { errors?: readonly { readonly parameter?: string }[] }
  if (!errors.some(({ parameter }) => parameter === 'search'))
    return t`A filter or the address of this page cannot be read. Choose the filters again.`
  const text = t`This search cannot be read. Type a letter or a digit at least, and at most 10 words and 200 characters.`
  return viewer.can('events.read') ? text : `${text} ${t.of(MASKED_ADVICE)}`
}

function problem(text: string): Html {
  return html`<p class="flash bad" role="alert">${text}</p>`
}

function nothing(typed: Typed, { t, viewer }: PageRequest): Html {
  if (Object.values(typed).every((text) => text === ''))
    return empty(t`No events are stored yet.`, t`As soon as the service calls this gateway, its callbacks appear here.`)
  // Without words nothing of what is masked was searched for.
  const advice =
    typed.search === ''
      ? t`No event has a delivery in this state, or the filters leave none: take a filter away.`
      : viewer.can('events.read')
        ? t`Check the value, leave out a word or a filter, or type only its beginning.`
        : t.of(MASKED_ADVICE)
  return empty(t`No event matches.`, html`${advice} <a href="/ui/">${t`Show all events`}</a>`)
}

function notTimes(fields: readonly string[], t: Speaker): string {
  const names = fields.map((field) => (field === 'from' ? t`received from` : t`received before`)).join(', ')
  return t`This is not a time: ${{ names }}. Write it as 2026-11-22 10:00.`
}
