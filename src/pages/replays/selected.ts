import { jsonOf, resultOf } from '../frame/answers.ts'
import type { FormAction, FormRequest, FormResult, PageView } from '../frame/page.ts'
import { problemHtml, problemOf } from '../frame/problem.ts'
import { filterOf, pagePath, type Typed, typedIn } from '../frame/search-query.ts'
import { sendsManyBy } from '../frame/viewer-rights.ts'
import { MOST_AGAIN } from '../parts/again.ts'
import { buttonForm } from '../parts/button-form.ts'
import { facts } from '../parts/facts.ts'
import { type Html, html } from '../parts/html.ts'
import { selectionOf } from './detail.ts'
import { eventsWith, targetField } from './targets.ts'

/** Three forms: one chooses events on the page of the search, the next one a destination and counts, and the last one starts. */
const SELECTED = '/ui/replays/selected'
const EVENTS_AT_ONCE = 500

/** What the forms pass on. */
interface Chosen {
  readonly events: readonly string[]
  /** Of the search, to which a link leads back. */
  readonly typed: Typed
  /** The search has more events than a replay may name. */
  readonly isCut: boolean
}

export const CHOOSE_SELECTED: FormAction = {
  path: '/replays/selected',
  submit: async (request) => choose(request, eventsIn(request)),
}

export const CHOOSE_ALL: FormAction = {
  path: '/replays/selected/all',
  submit: async (request) => choose(request, await eventsOf(request)),
}

/** What the person may send at once; 0: nothing. */
function mostOf({ viewer }: FormRequest): number {
  const way = sendsManyBy(viewer)
  return way === null ? 0 : MOST_AGAIN[way]
}

/** The events that a form names, each once, and no more than the person may send: a form may have been changed on its way. */
function eventsIn(request: FormRequest): Omit<Chosen, 'typed'> {
  const { form } = request
  const named = [...form.getAll('event'), ...(form.get('events') ?? '').split(' ')].filter((id) => id !== '')
  const [events, most] = [[...new Set(named)], mostOf(request)]
  return { events: events.slice(0, most), isCut: events.length > most || form.get('cut') === 'true' }
}

async function choose(request: FormRequest, { events, isCut }: Omit<Chosen, 'typed'>): Promise<FormResult> {
  const typed = typedIn(request.form)
  const message = request.words.replays.noneSelected
  if (events.length === 0) return { kind: 'redirect', location: pagePath(typed), message, isError: true }
  const chosen = { events, typed, isCut }
  return { kind: 'page', view: viewOf(request, chosen, await destinationForm(request, chosen)) }
}

/** The newest events of the filter, as many as a replay may name. */
async function eventsOf(request: FormRequest): Promise<Omit<Chosen, 'typed'>> {
  const { ask, form } = request
  const { filter } = filterOf(typedIn(form))
  const events: string[] = []
  const most = mostOf(request)
  if (filter === undefined || most === 0) return { events, isCut: false }
  for (let after: string | null = null; ; ) {
    const limit = Math.min(EVENTS_AT_ONCE, most - events.length)
    const { data, next, more }: { data: readonly { id: string }[]; next: string; more: boolean } = jsonOf(
      await ask('listEvents', { query: { ...filter, after, limit } }),
    )
    events.push(...data.map(({ id }) => id))
    if (!more || events.length === most) return { events, isCut: more }
    after = next
  }
}

export const COUNT_SELECTED: FormAction = {
  path: '/replays/selected/count',
  async submit(request) {
    const chosen = chosenIn(request)
    return { kind: 'page', view: viewOf(request, chosen, await countOf(request, chosen)) }
  },
}

async function countOf(request: FormRequest, chosen: Chosen): Promise<Html> {
  const { ask, words } = request
  const { replays } = words
  if (sendsManyBy(request.viewer) === 'events') return countOfEach(request, chosen)
  const answer = await ask('createReplay', { body: { ...bodyOf(request), dryRun: true } })
  if (answer.status === 400)
    return html`<p class="flash bad" role="alert">${problemHtml(problemOf(answer, words, COUNT_SELECTED.path), words)}</p>
${await destinationForm(request, chosen)}`
  const selection = jsonOf(answer)
  const start = startForm(request, chosen)
  return html`<p role="status">${replays.counted(selection.matched, selection.destinationName)}</p>
${selection.leftOut > 0 && html`<p>${replays.leftOut(selection.leftOut)}</p>`}
${facts(selectionOf(selection, request))}
${selection.matched === 0 ? html`<p>${replays.nothingToDo}</p>` : start}`
}

/** The events that the destination has had, of those that were chosen. */
async function countOfEach(request: FormRequest, chosen: Chosen): Promise<Html> {
  const { form, words } = request
  const { replays, problems } = words
  const target = (form.get('target') ?? '').trim()
  const { count, name } = await eventsWith(request, chosen.events, target)
  if (count === 0)
    return html`<p class="flash bad" role="alert">${problems.fields.destination}</p>${await destinationForm(request, chosen)}`
  return html`<p role="status">${replays.counted(count, name)}</p>${startForm(request, chosen)}`
}

function startForm({ words, formToken, form }: FormRequest, chosen: Chosen): Html {
  const hidden = { ...hiddenOf(chosen), target: form.get('target')?.trim() ?? '' }
  const action = `${SELECTED}/start`
  return buttonForm({ action, text: words.replays.startAgain, formToken, words, hidden, reason: 'required' })
}

export const START_SELECTED: FormAction = {
  path: '/replays/selected/start',
  async submit(request) {
    const { ask, form, words, viewer } = request
    const reason = form.get('reason')?.trim() ?? ''
    const back = pagePath(typedIn(form))
    if (reason === '') return { kind: 'redirect', location: back, message: words.replays.reasonMissing, isError: true }
    if (sendsManyBy(viewer) === 'events') return sendEach(request, reason, back)
    const answer = await ask('createReplay', { query: { reason }, body: bodyOf(request) })
    if (answer.status >= 400) return resultOf(answer, back, '')
    const started = jsonOf(answer)
    const id = 'id' in started ? started.id : ''
    return resultOf(answer, `/ui/replays/${id}`, words.replays.started(id))
  },
}

/** Each event is an action of its own in the log, as the API has it. */
async function sendEach(request: FormRequest, reason: string, location: string): Promise<FormResult> {
  const { ask, form, words } = request
  const destination = form.get('target')?.trim() ?? ''
  const sums = { sent: 0, waiting: 0, refused: 0 }
  for (const id of eventsIn(request).events) {
    const answer = await ask('replayEvent', { params: { id }, query: { destination, reason } })
    if (answer.status >= 400) sums.refused++
    else if (jsonOf(answer).deliveries.length > 0) sums.sent++
    else sums.waiting++
  }
  const message = words.replays.sentEach(sums)
  return { kind: 'redirect', location, message, isError: sums.sent === 0 && sums.waiting === 0 }
}

function viewOf({ words: { replays } }: FormRequest, { events, typed, isCut }: Chosen, step: Html): PageView {
  return {
    title: replays.again,
    body: html`<p><a href="${pagePath(typed)}">${replays.backToSearch}</a></p>
<h1>${replays.again}</h1>
<p>${isCut ? replays.selectedNewest(events.length) : replays.selectedEvents(events.length)}</p>
${step}`,
  }
}

async function destinationForm(request: FormRequest, chosen: Chosen): Promise<Html> {
  const { words, formToken, form } = request
  const value = form.get('target') ?? chosen.typed.destination
  return html`<form method="post" action="${SELECTED}/count" class="narrow">${formToken}
${Object.entries(hiddenOf(chosen)).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${await targetField(request, chosen.events, value)}
<p><button>${words.replays.count}</button></p>
</form>`
}

function hiddenOf({ events, typed, isCut }: Chosen): Readonly<Record<string, string>> {
  return { ...typed, events: events.join(' '), cut: isCut ? 'true' : '' }
}

function chosenIn(request: FormRequest): Chosen {
  return { ...eventsIn(request), typed: typedIn(request.form) }
}

/** The body of `POST /v1/replays`: whatever became of the events, as a person chose each of them. */
function bodyOf(request: FormRequest) {
  const destination = request.form.get('target')?.trim() || undefined
  return { destination, mode: 'all', filter: { events: eventsIn(request).events } }
}
