import { EVENTS_OF_REPLAY } from '../../domain/replay.ts'
import { filterOf, pagePath, type Typed, typedIn } from '../find/query.ts'
import { jsonOf, resultOf } from '../frame/answers.ts'
import type { FormAction, FormRequest, FormResult, PageView } from '../frame/page.ts'
import { problemHtml, problemOf } from '../frame/problem.ts'
import { buttonForm } from '../parts/button-form.ts'
import { facts } from '../parts/facts.ts'
import { textField } from '../parts/fields.ts'
import { type Html, html } from '../parts/html.ts'
import { selectionOf } from './detail.ts'

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
  submit: async (request) => choose(request, { events: request.form.getAll('event'), isCut: false }),
}

export const CHOOSE_ALL: FormAction = {
  path: '/replays/selected/all',
  submit: async (request) => choose(request, await eventsOf(request)),
}

function choose(request: FormRequest, { events, isCut }: Omit<Chosen, 'typed'>): FormResult {
  const typed = typedIn(request.form)
  const message = request.words.replays.noneSelected
  if (events.length === 0) return { kind: 'redirect', location: pagePath(typed), message, isError: true }
  const chosen = { events, typed, isCut }
  return { kind: 'page', view: viewOf(request, chosen, destinationForm(request, chosen)) }
}

/** The newest events of the filter, as many as a replay may name. */
async function eventsOf({ ask, form }: FormRequest): Promise<Omit<Chosen, 'typed'>> {
  const { filter } = filterOf(typedIn(form))
  const events: string[] = []
  if (filter === undefined) return { events, isCut: false }
  for (let after: string | null = null; ; ) {
    const limit = Math.min(EVENTS_AT_ONCE, EVENTS_OF_REPLAY - events.length)
    const { data, next, more }: { data: readonly { id: string }[]; next: string; more: boolean } = jsonOf(
      await ask('listEvents', { query: { ...filter, after, limit } }),
    )
    events.push(...data.map(({ id }) => id))
    if (!more || events.length === EVENTS_OF_REPLAY) return { events, isCut: more }
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
  const { ask, form, words, formToken } = request
  const { replays } = words
  const answer = await ask('createReplay', { body: { ...bodyOf(form), dryRun: true } })
  if (answer.status === 400)
    return html`<p class="flash bad" role="alert">${problemHtml(problemOf(answer, words, COUNT_SELECTED.path), words)}</p>
${destinationForm(request, chosen)}`
  const selection = jsonOf(answer)
  const hidden = { ...hiddenOf(chosen), target: form.get('target') ?? '' }
  const start = { action: `${SELECTED}/start`, text: replays.start, formToken, words, hidden } as const
  return html`<p role="status">${replays.counted(selection.matched, selection.destinationName)}</p>
${facts(selectionOf(selection, request))}
${selection.matched === 0 ? html`<p>${replays.nothingToDo}</p>` : buttonForm({ ...start, reason: 'required' })}`
}

export const START_SELECTED: FormAction = {
  path: '/replays/selected/start',
  async submit({ ask, form, words }) {
    const reason = form.get('reason')?.trim() ?? ''
    const back = pagePath(typedIn(form))
    if (reason === '') return { kind: 'redirect', location: back, message: words.replays.reasonMissing, isError: true }
    const answer = await ask('createReplay', { query: { reason }, body: bodyOf(form) })
    if (answer.status >= 400) return resultOf(answer, back, '')
    const started = jsonOf(answer)
    const id = 'id' in started ? started.id : ''
    return resultOf(answer, `/ui/replays/${id}`, words.replays.started(id))
  },
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

function destinationForm({ words: { replays }, formToken, form }: FormRequest, chosen: Chosen): Html {
  const destination = {
    value: form.get('target') ?? chosen.typed.destination,
    hint: replays.destinationHint,
    isRequired: true,
  }
  return html`<form method="post" action="${SELECTED}/count" class="narrow">${formToken}
${Object.entries(hiddenOf(chosen)).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${textField('target', replays.destination, destination)}
<p><button>${replays.count}</button></p>
</form>`
}

function hiddenOf({ events, typed, isCut }: Chosen): Readonly<Record<string, string>> {
  return { ...typed, events: events.join(' '), cut: isCut ? 'true' : '' }
}

function chosenIn({ form }: FormRequest): Chosen {
  return { events: idsIn(form), typed: typedIn(form), isCut: form.get('cut') === 'true' }
}

function idsIn(form: URLSearchParams): string[] {
  return (form.get('events') ?? '').split(' ').filter((id) => id !== '')
}

/** The body of `POST /v1/replays`: whatever became of the events, as a person chose each of them. */
function bodyOf(form: URLSearchParams) {
  return { destination: form.get('target')?.trim() || undefined, mode: 'all', filter: { events: idsIn(form) } }
}
