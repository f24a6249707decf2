import type { Answer } from '../../api/calls.ts'
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
import { againForm, countText, type Found, resultTable } from './results.ts'

/** The start page: one box for every value, and the events that have it. */
export const FIND: Page = {
  path: '/',
  scopes: ['events.read', 'support.read'],
  async render(request) {
    const { query, words, ask } = request
    const typed = typedIn(query)
    const place = placeIn(query)
    const wanted = asked(typed, place.after)
    const [form, lag, found] = await Promise.all([
      searchForm(request, typed),
      lagOf(request),
      'query' in wanted ? ask('listEvents', wanted) : words.find.problems(wanted.problems),
    ])
    const body = html`<h1>${words.find.title}</h1>
${form}
${lag}
${typeof found === 'string' ? problem(found) : results(request, { typed, place, answer: found })}`
    const title = typed.search === '' ? words.find.title : `${typed.search} · ${words.find.title}`
    return { title, body, scripts: ['choose.js'] }
  },
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
  readonly answer: Answer<Found>
}

function results(request: PageRequest, { typed, place, answer }: Results): Html {
  const { words } = request
  // A search that cannot be read: the person corrects it here.
  if (answer.status === 400) return problem(unreadable(request, answer))
  const found = jsonOf(answer)
  const { data, next, more } = found
  const previous = previousPlace(place)
  const links = {
    first: previous === null ? null : pagePath(typed),
    previous: previous === null ? null : pagePath(typed, previous),
    next: more ? pagePath(typed, nextPlace(place, next, data.length)) : null,
  }
  const pages = pager(links, words)
  if (data.length > 0)
    return html`<p class="hint"><span role="status">${countText(place, found, words)}</span> · <a href="${csvPath(typed)}" download data-in-zone>${words.find.csv}</a></p>
${resultTable(request, data, pagePath(typed, place).slice('/ui/?'.length))}${againForm(request, typed)}${pages}`
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
  // Without words nothing of what is masked was searched for.
  const advice = typed.search === '' ? find.filterAdvice : viewer.can('events.read') ? find.advice : find.maskedAdvice
  return empty(find.nothing, html`${advice} <a href="/ui/">${find.everything}</a>`)
}
