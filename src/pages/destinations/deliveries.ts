import type { DeliveryChoice } from '../../domain/delivery.ts'
import { plural, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { DELIVERY_WORDS } from '../../messages/where.ts'
import { jsonOf } from '../frame/answers.ts'
import type { PageRequest } from '../frame/page.ts'
import { withQuery } from '../frame/path-of.ts'
import { buttonForm } from '../parts/button-form.ts'
import { deliveryBadge } from '../parts/delivery-badge.ts'
import { empty } from '../parts/empty.ts'
import { filterForm, select } from '../parts/fields.ts'
import { forwardingHtml } from '../parts/forwarding-text.ts'
import { type Html, html } from '../parts/html.ts'
import { idOf } from '../parts/id.ts'
import { kindHtml } from '../parts/kind-word.ts'
import { nextAttemptOf } from '../parts/next-attempt.ts'
import { pager } from '../parts/pager.ts'
import { shortened } from '../parts/shortened-text.ts'
import { type Column, table } from '../parts/table.ts'
import { spanOf, timeOf } from '../parts/time.ts'
import type { DeliveryView, DestinationView } from './destination.ts'

const PAGE = 100
/** So few are shown at once. */
const MOST_OPEN = 5
/** Of a destination, in a cell. */
const LONGEST_WORDS = 120
/** In the order of the choice. Delivered ones need no decision, and a search for them would read the whole table. */
const LISTED_STATES = [
  'pending',
  'failing',
  'waiting',
  'blocked',
  'exhausted',
  'canceled',
] as const satisfies readonly DeliveryChoice[]

/** Deliveries of one state, the oldest first, with what can be done about each. Those with the same answer are one group, the largest first. */
export async function deliveriesOf(destination: DestinationView, request: PageRequest): Promise<Html> {
  const { ask, query, t } = request
  const path = `/ui/destinations/${destination.id}`
  const state = LISTED_STATES.find((one) => one === query.get('state')) ?? 'pending'
  const after = query.get('after')
  const page = jsonOf(
    await ask('listDeliveries', { query: { destination: destination.id, state, limit: PAGE, after } }),
  )
  const options = LISTED_STATES.map((one) => [one, t.of(DELIVERY_WORDS[one])] as const)
  const linkTo = (place: string | null) => `${withQuery(path, { state, after: place })}#deliveries`
  return html`${filterForm(`${path}#deliveries`, [select('state', t`State of the deliveries`, { options, chosen: state })], t`Show`)}
${page.data.length === 0 ? empty(t`There is no such delivery.`) : groupsOf(page.data).map((group) => groupHtml(group, page.data.length <= MOST_OPEN, destination, request))}
${pager({ first: after === null ? null : linkTo(null), next: page.more ? linkTo(page.next) : null }, t)}`
}

function groupsOf(list: readonly DeliveryView[]): DeliveryView[][] {
  const groups = Map.groupBy(list, ({ reason, lastError, lastStatus, waitsFor }) =>
    JSON.stringify([reason, lastError, lastStatus, waitsFor]),
  )
  return [...groups.values()].sort((one, other) => other.length - one.length)
}

function groupHtml(
  group: readonly DeliveryView[],
  isOpen: boolean,
  destination: DestinationView,
  request: PageRequest,
): Html {
  const { t } = request
  const [newest] = group.slice(-1) as [DeliveryView]
  const { lastAnswer, waitsFor } = newest
  return html`<details class="card"${isOpen && html` open`}><summary>${t.of(plural(group.length, say`1 delivery`, say`{count} deliveries`))} ${deliveryBadge(newest, t)} ${lastOf(newest, t)}
<span class="hint">${t.in('deliveries')`Created`} ${spanOf(group.map(({ createdAt }) => createdAt))}</span>
${waitsFor !== null && html`<span class="hint">${nextAttemptOf(newest, t)}</span>`}
${lastAnswer && html`<span class="hint">${t`The receiver said`}: <code>${shortened(lastAnswer, LONGEST_WORDS)}</code></span>`}</summary>
${tableOf(group, destination, request)}</details>`
}

function tableOf(list: readonly DeliveryView[], destination: DestinationView, request: PageRequest): Html {
  const { t, viewer } = request
  const link = ({ event }: DeliveryView) =>
    viewer.can('events.read')
      ? html`<a class="id" href="/ui/events/${event}">${event}</a>`
      : html`<span class="id">${event}</span>`
  const columns: readonly Column<DeliveryView>[] = [
    { title: t`Delivery`, cell: ({ id }) => idOf(id) },
    { title: t`Event`, cell: link },
    { title: t`Kind`, cell: ({ kind }) => kindHtml(kind, t), isBare: true },
    { title: t`Reference`, cell: ({ subject }) => subject && shortened(subject, 40), isBare: true },
    { title: t`Attempts`, cell: ({ attempts }) => attempts, isNumber: true },
    {
      title: list.some(({ endedAt }) => endedAt !== null) ? t.in('deliveries')`Ended` : t`Next attempt`,
      // What they all wait for is above the table.
      cell: (one) => (one.endedAt === null ? one.waitsFor === null && nextAttemptOf(one, t) : timeOf(one.endedAt)),
    },
    ...(viewer.can('operations.write') || viewer.can('support.replay')
      ? [{ title: t`Actions`, cell: (one: DeliveryView) => actionsOf(one, destination, request) }]
      : []),
  ]
  return table(t`Deliveries to this destination`, columns, list)
}

function lastOf({ reason, lastStatus, lastError }: DeliveryView, t: Speaker): Html {
  const [why, error] = [reason, lastError].map((text) => text && forwardingHtml(text, t, LONGEST_WORDS))
  const answer = error ?? (lastStatus === null ? null : `HTTP ${lastStatus}`)
  return html`${why}${why && answer && '; '}${answer}`
}

/** Only what the API would not refuse. */
function actionsOf(delivery: DeliveryView, destination: DestinationView, request: PageRequest): Html | null {
  const { formToken, t, viewer } = request
  const { id, state } = delivery
  const holds = state === 'exhausted' && destination.order === 'subject' && destination.onExhausted === 'hold'
  const canRetry = state !== 'blocked'
  const canSkip = viewer.can('operations.write') && (state === 'pending' || state === 'blocked' || holds)
  const form = (action: 'retry' | 'skip') =>
    buttonForm({
      action: `/ui/deliveries/${id}/${action}`,
      text: action === 'retry' ? t`Retry now` : t`Skip`,
      formToken,
      t,
      reason: 'optional',
      hidden: { destination: destination.id, state },
      isDangerous: action === 'skip',
    })
  if (!canRetry && !canSkip) return null
  const title = canRetry && canSkip ? t`Retry or skip` : canRetry ? t`Retry now` : t`Skip`
  return html`<details><summary aria-label="${title}: ${id}">${title}</summary>
${canRetry && form('retry')}${canSkip && form('skip')}</details>`
}
