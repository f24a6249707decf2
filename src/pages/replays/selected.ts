import { plural, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { jsonOf, resultOf } from '../frame/answers.ts'
import type { FormAction, FormRequest, FormResult, PageView } from '../frame/page.ts'
import { problemHtml, problemOf } from '../frame/problem.ts'
import { filterOf, pagePath, type Typed, typedIn } from '../frame/search-query.ts'
import { sendsManyBy } from '../frame/viewer-rights.ts'
import { MOST_AGAIN } from '../parts/again.ts'
import { buttonForm } from '../parts/button-form.ts'
import { facts } from '../parts/facts.ts'
import { select } from '../parts/fields.ts'
import { type Html, html } from '../parts/html.ts'
import { selectionOf } from './detail.ts'
import { eventsWith, targetField, targetNamed } from './targets.ts'

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
  const { t } = request
  if (events.length === 0)
    return {
      kind: 'redirect',
      location: pagePath(typed),
      message: t`No event was chosen. Nothing was sent.`,
      isError: true,
    }
  const chosen = { events, typed, isCut }
  const target = await targetNamed(request, events, typed.destination)
  const step = target === null ? destinationForm(request, chosen) : countOf(request, chosen, target)
  return { kind: 'page', view: viewOf(request, chosen, await step) }
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
      await ask('listEvents', { query: { ...filter, order: 'desc', after, limit } }),
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
    const target = request.form.get('target')?.trim() ?? ''
    return { kind: 'page', view: viewOf(request, chosen, await countOf(request, chosen, target)) }
  },
}

/** How many would be sent, and how many of them the destination does not have yet. */
async function countOf(request: FormRequest, chosen: Chosen, target: string): Promise<Html> {
  const { ask, t } = request
  if (sendsManyBy(request.viewer) === 'events') return countOfEach(request, chosen, target)
  const count = (mode: Mode) => ask('createReplay', { body: { ...bodyOf(chosen.events, target, mode), dryRun: true } })
  const [answer, answerOfMissing] = await Promise.all([count('all'), count('missing')])
  if (answer.status === 400)
    return html`<p class="flash bad" role="alert">${problemHtml(problemOf(answer, t, COUNT_SELECTED.path), t)}</p>
${await destinationForm(request, chosen)}`
  const selection = jsonOf(answer)
  const counts = { all: selection.matched, missing: jsonOf(answerOfMissing).matched }
  return html`<p role="status">${t.of(plural(counts.all, say`1 event would be delivered to ${{ destination: selection.destinationName }} again. Nothing has been sent yet.`, say`{count} events would be delivered to ${{ destination: selection.destinationName }} again. Nothing has been sent yet.`))}</p>
${selection.leftOut > 0 && html`<p>${t.of(plural(selection.leftOut, say`It would leave out 1 event: its delivery still waits, or an attempt is being recorded.`, say`It would leave out {count} events: their deliveries still wait, or an attempt is being recorded.`))}</p>`}
${facts(selectionOf(selection, request).filter(([title]) => title !== t`Which events`))}
${counts.all === 0 ? html`<p>${t`There is nothing to deliver: no event matches, or the deliveries of those that match still wait.`}</p>` : startForm(request, chosen, { target, counts })}
${await otherDestination(request, chosen)}`
}

/** The events that the destination has had, of those that were chosen. */
async function countOfEach(request: FormRequest, chosen: Chosen, target: string): Promise<Html> {
  const { t } = request
  const { events, delivered, name } = await eventsWith(request, chosen.events, target)
  if (events.length === 0)
    return html`<p class="flash bad" role="alert">${t`There is no such destination. The list of destinations shows all.`}</p>${await destinationForm(request, chosen)}`
  const counts = { all: events.length, missing: events.length - delivered.length }
  return html`<p role="status">${t.of(plural(events.length, say`1 event would be delivered to ${{ destination: name }} again. Nothing has been sent yet.`, say`{count} events would be delivered to ${{ destination: name }} again. Nothing has been sent yet.`))}</p>${startForm(request, chosen, { target, counts })}
${await otherDestination(request, chosen)}`
}

interface Counted {
  readonly target: string
  readonly counts: Readonly<Record<Mode, number>>
}

/** What the destination does not have yet is chosen in advance. */
function startForm({ t, formToken }: FormRequest, chosen: Chosen, { target, counts }: Counted): Html {
  const { all, missing } = counts
  const isMixed = missing > 0 && missing < all
  const options = [
    [
      'missing',
      t.of(plural(missing, say`only the 1 that it does not have`, say`only the {count} that it does not have`)),
    ] as const,
    ['all', t`all ${{ count: all }}, also ${{ had: all - missing }} that it has already`] as const,
  ]
  const form = { action: `${SELECTED}/start`, text: t`Send again`, formToken, t, reason: 'required' } as const
  return html`${missing === 0 && html`<p>${t.of(plural(all, say`The destination has it already.`, say`The destination has all of them already.`))}</p>`}${buttonForm(
    {
      ...form,
      hidden: { ...hiddenOf(chosen), target, ...(!isMixed && { mode: 'all' }) },
      fields: isMixed && select('mode', t`Which events`, { options, chosen: 'missing' }),
    },
  )}`
}

/** To change the destination, also where the filter names it. */
async function otherDestination(request: FormRequest, chosen: Chosen): Promise<Html> {
  return html`<details class="card"><summary>${request.t`Choose another destination`}</summary>
${await destinationForm(request, chosen)}</details>`
}

export const START_SELECTED: FormAction = {
  path: '/replays/selected/start',
  async submit(request) {
    const { ask, form, t, viewer } = request
    const reason = form.get('reason')?.trim() ?? ''
    const back = pagePath(typedIn(form))
    if (reason === '')
      return { kind: 'redirect', location: back, message: t`A reason is required. Nothing was sent.`, isError: true }
    if (sendsManyBy(viewer) === 'events') return sendEach(request, reason, back)
    const target = form.get('target')?.trim() ?? ''
    const answer = await ask('createReplay', {
      query: { reason },
      body: bodyOf(eventsIn(request).events, target, modeIn(form)),
    })
    if (answer.status >= 400) return resultOf(answer, back, '')
    const started = jsonOf(answer)
    const id = 'id' in started ? started.id : ''
    return resultOf(
      answer,
      `/ui/replays/${id}`,
      t`${{ id }} has started. Its deliveries have lower priority than new events.`,
    )
  },
}

/** Each event is an action of its own in the log, as the API has it. */
async function sendEach(request: FormRequest, reason: string, location: string): Promise<FormResult> {
  const { ask, form, t } = request
  const destination = form.get('target')?.trim() ?? ''
  const ids = eventsIn(request).events
  const delivered = modeIn(form) === 'missing' ? (await eventsWith(request, ids, destination)).delivered : []
  const sums = { sent: 0, waiting: 0, refused: 0 }
  for (const id of ids.filter((one) => !delivered.includes(one))) {
    const answer = await ask('replayEvent', { params: { id }, query: { destination, reason } })
    if (answer.status >= 400) sums.refused++
    else if (jsonOf(answer).deliveries.length > 0) sums.sent++
    else sums.waiting++
  }
  const message = sentText(sums, t)
  return { kind: 'redirect', location, message, isError: sums.sent === 0 && sums.waiting === 0 }
}

interface Sums {
  readonly sent: number
  readonly waiting: number
  readonly refused: number
}

function sentText({ sent, waiting, refused }: Sums, t: Speaker): string {
  const texts = [
    t.of(plural(sent, say`1 event is sent again.`, say`{count} events are sent again.`)),
    waiting > 0 && t`${{ waiting }} still waited anyway.`,
    refused > 0 && t`${{ refused }} were not sent: the destination has no delivery of them, or their data was removed.`,
  ]
  return texts.filter((text) => text !== false).join(' ')
}

function viewOf({ t }: FormRequest, { events, typed, isCut }: Chosen, step: Html): PageView {
  return {
    title: t`Send again`,
    body: html`<p><a href="${pagePath(typed)}">${t`Back to the search`}</a></p>
<h1>${t`Send again`}</h1>
<p>${isCut ? t`The filter has more events: the newest ${{ count: events.length }} are chosen.` : t.of(plural(events.length, say`1 event is chosen.`, say`{count} events are chosen.`))}</p>
${step}`,
  }
}

async function destinationForm(request: FormRequest, chosen: Chosen): Promise<Html> {
  const { t, formToken, form } = request
  const value = form.get('target') ?? chosen.typed.destination
  return html`<form method="post" action="${SELECTED}/count" class="narrow">${formToken}
${Object.entries(hiddenOf(chosen)).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${await targetField(request, chosen.events, value)}
<p><button>${t`Count the events`}</button></p>
</form>`
}

function hiddenOf({ events, typed, isCut }: Chosen): Readonly<Record<string, string>> {
  return { ...typed, events: events.join(' '), cut: isCut ? 'true' : '' }
}

function chosenIn(request: FormRequest): Chosen {
  return { ...eventsIn(request), typed: typedIn(request.form) }
}

/** Whatever became of the events, or those that the destination does not have. */
type Mode = 'all' | 'missing'

function modeIn(form: URLSearchParams): Mode {
  return form.get('mode') === 'missing' ? 'missing' : 'all'
}

/** The body of `POST /v1/replays`. */
function bodyOf(events: readonly string[], target: string, mode: Mode) {
  return { destination: target || undefined, mode, filter: { events } }
}
