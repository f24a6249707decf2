import type { DeliveryChoice } from '../../domain/delivery.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
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
  const { ask, query, words } = request
  const { deliveries, show } = words.destinations
  const path = `/ui/destinations/${destination.id}`
  const state = LISTED_STATES.find((one) => one === query.get('state')) ?? 'pending'
  const after = query.get('after')
  const page = jsonOf(
    await ask('listDeliveries', { query: { destination: destination.id, state, limit: PAGE, after } }),
  )
  const options = LISTED_STATES.map((one) => [one, deliveries.states[one]] as const)
  const linkTo = (place: string | null) => `${withQuery(path, { state, after: place })}#deliveries`
  return html`${filterForm(`${path}#deliveries`, [select('state', deliveries.choose, { options, chosen: state })], show)}
${page.data.length === 0 ? empty(deliveries.none) : groupsOf(page.data).map((group) => groupHtml(group, page.data.length <= MOST_OPEN, destination, request))}
${pager({ first: after === null ? null : linkTo(null), next: page.more ? linkTo(page.next) : null }, words)}`
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
  const { words } = request
  const { deliveries } = words.destinations
  const [newest] = group.slice(-1) as [DeliveryView]
  const { lastAnswer, waitsFor } = newest
  return html`<details class="card"${isOpen && html` open`}><summary>${deliveries.count(group.length)} ${deliveryBadge(newest, words)} ${lastOf(newest, words)}
<span class="hint">${deliveries.since} ${spanOf(group.map(({ createdAt }) => createdAt))}</span>
${waitsFor !== null && html`<span class="hint">${nextAttemptOf(newest, words)}</span>`}
${lastAnswer && html`<span class="hint">${deliveries.said}: <code>${shortened(lastAnswer, LONGEST_WORDS)}</code></span>`}</summary>
${tableOf(group, destination, request)}</details>`
}

function tableOf(list: readonly DeliveryView[], destination: DestinationView, request: PageRequest): Html {
  const { words, viewer } = request
  const { deliveries } = words.destinations
  const link = ({ event }: DeliveryView) =>
    viewer.can('events.read')
      ? html`<a class="id" href="/ui/events/${event}">${event}</a>`
      : html`<span class="id">${event}</span>`
  const columns: readonly Column<DeliveryView>[] = [
    { title: deliveries.delivery, cell: ({ id }) => idOf(id) },
    { title: deliveries.event, cell: link },
    { title: deliveries.kind, cell: ({ kind }) => kindHtml(kind, words), isBare: true },
    { title: deliveries.subject, cell: ({ subject }) => subject && shortened(subject, 40), isBare: true },
    { title: deliveries.attempts, cell: ({ attempts }) => attempts, isNumber: true },
    {
      title: list.some(({ endedAt }) => endedAt !== null) ? deliveries.ended : deliveries.next,
      // What they all wait for is above the table.
      cell: (one) => (one.endedAt === null ? one.waitsFor === null && nextAttemptOf(one, words) : timeOf(one.endedAt)),
    },
    ...(viewer.can('operations.write') || viewer.can('support.replay')
      ? [{ title: deliveries.actions, cell: (one: DeliveryView) => actionsOf(one, destination, request) }]
      : []),
  ]
  return table(deliveries.title, columns, list)
}

function lastOf({ reason, lastStatus, lastError }: DeliveryView, words: Catalogue): Html {
  const [why, error] = [reason, lastError].map((text) => text && forwardingHtml(text, words, LONGEST_WORDS))
  const answer = error ?? (lastStatus === null ? null : `HTTP ${lastStatus}`)
  return html`${why}${why && answer && '; '}${answer}`
}

/** Only what the API would not refuse. */
function actionsOf(delivery: DeliveryView, destination: DestinationView, request: PageRequest): Html | null {
  const { formToken, words, viewer } = request
  const { deliveries } = words.destinations
  const { id, state } = delivery
  const holds = state === 'exhausted' && destination.order === 'subject' && destination.onExhausted === 'hold'
  const canRetry = state !== 'blocked'
  const canSkip = viewer.can('operations.write') && (state === 'pending' || state === 'blocked' || holds)
  const form = (action: 'retry' | 'skip') =>
    buttonForm({
      action: `/ui/deliveries/${id}/${action}`,
      text: deliveries[action],
      formToken,
      words,
      reason: 'optional',
      hidden: { destination: destination.id, state },
      isDangerous: action === 'skip',
    })
  if (!canRetry && !canSkip) return null
  const title = canRetry && canSkip ? deliveries.change : canRetry ? deliveries.retry : deliveries.skip
  return html`<details><summary aria-label="${title}: ${id}">${title}</summary>
${canRetry && form('retry')}${canSkip && form('skip')}</details>`
}
