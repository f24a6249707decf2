import { printable } from '../../platform/control-characters.ts'
import { deliveriesOf } from '../destinations/deliveries.ts'
import { jsonOf, resultOf } from '../frame/answers.ts'
import type { FormAction, Page, PageRequest } from '../frame/page.ts'
import { pathOf } from '../frame/path-of.ts'
import { confirmed } from '../parts/confirm.ts'
import { facts, figures } from '../parts/facts.ts'
import { forwardingHtml } from '../parts/forwarding-text.ts'
import { type Html, html } from '../parts/html.ts'
import { kindText } from '../parts/kind-word.ts'
import { statusText } from '../parts/status-word.ts'
import { timeOf } from '../parts/time.ts'
import { canCancel, progressOf, type ReplayView, replayState, type SelectionView } from './replay.ts'

const LIST = '/ui/replays'

export const REPLAY_DETAIL: Page = {
  path: '/replays/:id',
  scopes: ['events.read', 'events.replay'],
  async render(request) {
    const { ask, params, words, viewer } = request
    const { replays } = words
    const replay = jsonOf(await ask('showReplay', { params: { id: params.id ?? '' } }))
    const title = replays.one(replay.id)
    // Only an operator scope changes the replays of others.
    const isOwn = (replay.askedBy ?? 'operator') === viewer.id || viewer.can('operations.write')
    const reload = html`<a href="${`${LIST}/${replay.id}`}">${replays.reload}</a>`
    return {
      title,
      body: html`<p><a href="${LIST}">${replays.title}</a></p>
<h1>${title}</h1>
${figures([
  [replays.progress, progressOf(replay, words)],
  [replays.toSend, replay.waiting],
])}
${replay.state === 'running' && html`<p>${reload}</p>`}
${factsOf(replay, request)}
${canCancel(replay) && viewer.can('events.replay') && isOwn && cancelForm(replay, request)}
${await answersOf(replay, request)}`,
    }
  },
}

/** What the receiver answers: of the deliveries that do not arrive or, once all have ended, of those that did not. */
async function answersOf({ destination, waiting, state }: ReplayView, request: PageRequest): Promise<Html | null> {
  const { ask, viewer, words } = request
  if (!viewer.can('operations.read') || !viewer.can('destinations.read')) return null
  const shown = await ask('showDestination', { params: { id: destination } })
  if (shown.status !== 200) return null
  const query = new URLSearchParams({ state: waiting > 0 || state === 'running' ? 'failing' : 'exhausted' })
  return html`<h2 id="deliveries">${words.replays.deliveries}</h2>
${await deliveriesOf(jsonOf(shown), { ...request, query })}`
}

function factsOf(replay: ReplayView, request: PageRequest): Html {
  const { replays } = request.words
  return facts([
    [replays.state, replayState(replay, request.words)],
    [replays.why, replay.reason && forwardingHtml(replay.reason, request.words)],
    ...selectionOf(replay, request),
    [replays.matched, replay.matched],
    [replays.alsoWaited, replay.leftOut > 0 && replay.leftOut],
    [replays.created, replay.created],
    [replays.askedBy, replay.askedBy ?? replays.operator],
    [replays.createdAt, timeOf(replay.createdAt)],
    [replays.endedAt, replay.endedAt && timeOf(replay.endedAt)],
  ])
}

/** What a replay takes, for a definition list. */
export function selectionOf(selection: SelectionView, { words, viewer }: PageRequest) {
  const { replays } = words
  const { destination, destinationName, mode, filter } = selection
  const { events, kinds, institution, environment, subject, status, from, to } = filter
  const link = viewer.can('destinations.read')
    ? html`<a href="/ui/destinations/${destination}">${destinationName}</a>`
    : destinationName
  return [
    [replays.destination, link],
    [replays.mode, replays.modes[mode]],
    [replays.selected, events?.length],
    [replays.kinds, kinds?.map((kind) => kindText(kind, words)).join(', ')],
    [words.common.institution, institution && printable(institution)],
    [replays.environment, environment && words.frame.environments[environment]],
    [replays.subject, subject && html`<span class="id">${printable(subject)}</span>`],
    [replays.status, status && statusText(status, words)],
    [replays.from, from && timeOf(from)],
    [replays.to, to && timeOf(to)],
  ] as const
}

function cancelForm({ id }: ReplayView, { words, formToken }: PageRequest): Html {
  const { cancel, cancelHint } = words.replays
  const form = { action: `${LIST}/${id}/cancel`, text: cancel, formToken, words, reason: 'optional' } as const
  return confirmed({ ...form, isDangerous: true }, cancelHint)
}

export const CANCEL_REPLAY: FormAction = {
  path: '/replays/:id/cancel',
  async submit({ ask, params, form, words }) {
    const id = params.id ?? ''
    const answer = await ask('cancelReplay', { params: { id }, query: { reason: form.get('reason')?.trim() } })
    const { underWay } = answer.status === 200 ? jsonOf(answer) : { underWay: 0 }
    const done = words.replays.canceled(id, underWay)
    return resultOf(answer, answer.status === 404 ? LIST : pathOf`/ui/replays/${id}`, done)
  },
}
