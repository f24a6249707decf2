import { REPLAY_CHANGES } from '../../api/replays/contract.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { printable } from '../../platform/control-characters.ts'
import { deliveriesOf } from '../destinations/deliveries.ts'
import { jsonOf } from '../frame/answers.ts'
import type { Page, PageRequest } from '../frame/page.ts'
import { pathOf } from '../frame/path-of.ts'
import { plainForm } from '../frame/plain-form.ts'
import { confirmed } from '../parts/confirm.ts'
import { facts, figures } from '../parts/facts.ts'
import { forwardingHtml } from '../parts/forwarding-text.ts'
import { type Html, html } from '../parts/html.ts'
import { kindText } from '../parts/kind-word.ts'
import { environmentText } from '../parts/realm.ts'
import { statusText } from '../parts/status-word.ts'
import { timeOf } from '../parts/time.ts'
import { MODE_TEXTS } from '../replays/replay.ts'
import { canCancel, progressOf, type ReplayView, replayState, type SelectionView } from './replay.ts'

const LIST = '/ui/replays'

export const REPLAY_DETAIL: Page = {
  path: '/replays/:id',
  scopes: ['events.read', 'events.replay'],
  async render(request) {
    const { ask, params, t, viewer } = request
    const replay = jsonOf(await ask('showReplay', { params: { id: params.id ?? '' } }))
    const title = t`Replay ${{ id: replay.id }}`
    // Only an operator scope changes the replays of others.
    const isOwn = (replay.askedBy ?? 'operator') === viewer.id || viewer.can('operations.write')
    const reload = html`<a href="${`${LIST}/${replay.id}`}">${t`Reload`}</a>`
    return {
      title,
      body: html`<p><a href="${LIST}">${t`Replays`}</a></p>
<h1>${title}</h1>
${figures([
  [t`Progress`, progressOf(replay, t)],
  [t`Not sent yet`, replay.waiting],
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
  const { ask, viewer, t } = request
  if (!viewer.can('operations.read') || !viewer.can('destinations.read')) return null
  const shown = await ask('showDestination', { params: { id: destination } })
  if (shown.status !== 200) return null
  const query = new URLSearchParams({ state: waiting > 0 || state === 'running' ? 'failing' : 'exhausted' })
  return html`<h2 id="deliveries">${t`Deliveries of the destination`}</h2>
${await deliveriesOf(jsonOf(shown), { ...request, query })}`
}

function factsOf(replay: ReplayView, request: PageRequest): Html {
  const { t } = request
  return facts([
    [t`State`, replayState(replay, request.t)],
    [t`Why it failed`, replay.reason && forwardingHtml(replay.reason, request.t)],
    ...selectionOf(replay, request),
    [t`Matching events at the count`, replay.matched],
    [t`Left out, because their deliveries still waited`, replay.leftOut > 0 && replay.leftOut],
    [t`Deliveries created so far`, replay.created],
    [t`Requested by`, replay.askedBy ?? t`the operator`],
    [t`Created`, timeOf(replay.createdAt)],
    [t`Ended`, replay.endedAt && timeOf(replay.endedAt)],
  ])
}

/** What a replay takes, for a definition list. */
export function selectionOf(selection: SelectionView, { t, viewer }: PageRequest) {
  const { destination, destinationName, mode, filter } = selection
  const { events, kinds, institution, environment, subject, status, from, to } = filter
  const link = viewer.can('destinations.read')
    ? html`<a href="/ui/destinations/${destination}">${destinationName}</a>`
    : destinationName
  return [
    [t`Destination`, link],
    [t`Which events`, t.of(MODE_TEXTS[mode])],
    [t`Chosen events`, events?.length],
    [t`Kinds`, kinds?.map((kind) => kindText(kind, t)).join(', ')],
    [t`Institution`, institution && printable(institution)],
    [t`Environment`, environment && environmentText(environment, t)],
    [t`Reference`, subject && html`<span class="id">${printable(subject)}</span>`],
    [t`Status`, status && statusText(status, t)],
    [t.in('events')`Received from`, from && timeOf(from)],
    [t.in('events')`Received before`, to && timeOf(to)],
  ] as const
}

function cancelForm({ id }: ReplayView, { t, formToken }: PageRequest): Html {
  const form = { action: `${LIST}/${id}/cancel`, text: t`Cancel`, formToken, t, reason: 'optional' } as const
  return confirmed({ ...form, isDangerous: true }, t`Its pending deliveries are withdrawn. What was sent stays sent.`)
}

export const CANCEL_REPLAY = plainForm(REPLAY_CHANGES.cancelReplay, {
  path: '/replays/:id/cancel',
  leadsTo: ({ params }) => pathOf`/ui/replays/${params.id ?? ''}`,
  list: LIST,
  says: ({ id, underWay }, { t }) => canceledText(id, underWay, t),
})

function canceledText(id: string, underWay: number, t: Speaker): string {
  const text = t`${{ id }} is canceled.`
  return underWay === 0 ? text : `${text} ${t`Attempts under way, which may still arrive: ${{ underWay }}.`}`
}
