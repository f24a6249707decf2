import { printable } from '../../platform/control-characters.ts'
import { jsonOf, resultOf } from '../frame/answers.ts'
import type { FormAction, Page, PageRequest, PageView } from '../frame/page.ts'
import { pathOf } from '../frame/path-of.ts'
import { seesEveryConsumer, seesEveryDelivery } from '../frame/viewer-rights.ts'
import { deliveryBadge } from '../parts/delivery-badge.ts'
import { empty } from '../parts/empty.ts'
import { forwardingHtml } from '../parts/forwarding-text.ts'
import { html } from '../parts/html.ts'
import { type Choice, sendAgainSection, unmaskSection } from './actions.ts'
import { callbackSection } from './callback.ts'
import { COPY_SCRIPT } from './copied.ts'
import { attemptsTable, deliveriesSection } from './deliveries.ts'
import { evidenceSection } from './evidence.ts'
import { headSection } from './head.ts'
import { historyOf, historySection } from './history.ts'
import { type ConsumerView, type DeliveryView, type DestinationView, type EventDetail, nameOf } from './model.ts'
import { payloadSection } from './payload.ts'
import { isFromCallback } from './timeline.ts'

const READERS = ['events.read', 'support.read'] as const

/** One event: its way through the gateway, its payload, what proves it. */
export const EVENT: Page = {
  path: '/events/:id',
  scopes: READERS,
  async render(request) {
    const answer = await request.ask('showEvent', { params: { id: request.params.id ?? '' } })
    const event = jsonOf(answer)
    return eventView(request, event, answer.text)
  },
}

/** @param answer text of the answer that holds the event @param isUnmasked it shows personal data to a person who sees them masked otherwise */
export async function eventView(
  request: PageRequest,
  event: EventDetail,
  answer: string,
  isUnmasked = false,
): Promise<PageView> {
  const { t, viewer } = request
  const [deliveries, consumers, probe, destinations, history, curl] = await Promise.all([
    deliveriesOf(request, event.id),
    consumersSeenBy(request),
    probeBefore(request, event),
    destinationsSeenBy(request),
    historyOf(request, event),
    callbackSection(request, event, answer),
  ])
  const isEveryDelivery = seesEveryDelivery(viewer)
  const isEveryConsumer = seesEveryConsumer(viewer)
  const body = html`${headSection(event, deliveries, request)}
${isUnmasked ? html`<p class="flash good" role="status">${t`This page shows personal data. It was recorded that you saw it.`}</p>` : unmaskSection(request, event)}
<div class="beside">
${deliveriesSection({ event, deliveries, isEveryDelivery, consumers, isEveryConsumer }, t)}
${history && historySection(history, event, request)}
</div>
${sendAgainSection(request, event, choicesOf(deliveries, destinations))}
${payloadSection(event, answer, t, { original: viewer.can('events.read'), curl })}
${evidenceSection({ event, probe }, request)}`
  return { title: t`Event ${{ subject: nameOf(event) }}`, body, scripts: [COPY_SCRIPT] }
}

async function deliveriesOf({ ask }: PageRequest, id: string): Promise<readonly DeliveryView[]> {
  return jsonOf(await ask('listEventDeliveries', { params: { id } })).data
}

/** Empty: the person may not see them, or there are none. */
async function destinationsSeenBy({ ask, viewer }: PageRequest): Promise<readonly DestinationView[]> {
  if (!viewer.can('destinations.read') || !viewer.can('events.replay')) return []
  return jsonOf(await ask('listDestinations')).data
}

/** Those that have the event first. */
function choicesOf(deliveries: readonly DeliveryView[], destinations: readonly DestinationView[]): readonly Choice[] {
  const had = new Map(deliveries.map(({ destination: id, destinationName: name, state }) => [id, { id, name, state }]))
  const others = destinations.filter(({ id }) => !had.has(id)).map(({ id, name }) => ({ id, name, state: null }))
  return [...had.values(), ...others]
}

/** null: the person may not see consumers. */
async function consumersSeenBy({ ask, viewer }: PageRequest): Promise<readonly ConsumerView[] | null> {
  if (!viewer.can('events.read')) return null
  return jsonOf(await ask('listConsumers', { query: { limit: 1000 } })).data
}

/** The latest probe of the same institution and environment, among the latest of every institution. */
async function probeBefore({ ask }: PageRequest, { institution, environment, receivedAt, kind, source }: EventDetail) {
  if (kind === 'probe' || !isFromCallback(source)) return null
  const query = { kind: 'probe', institution, environment, to: receivedAt, order: 'desc', limit: PROBES }
  const { data } = jsonOf(await ask('listEvents', { query }))
  return data.find((one) => one.institution === institution) ?? null
}

/** All deliveries of an event, with all attempts that are stored. */
export const EVENT_DELIVERIES: Page = {
  path: '/events/:id/deliveries',
  scopes: READERS,
  async render(request) {
    const { t, params } = request
    const id = params.id ?? ''
    const deliveries = await deliveriesOf(request, id)
    const most = Math.max(5, Math.floor(MOST_ATTEMPTS / Math.max(1, deliveries.length)))
    const body = html`<p><a href="/ui${pathOf`/events/${id}`}">${t`Back to the event`}</a></p>
<h1>${t`Deliveries`}</h1>
${deliveries.length === 0 && empty(t`No destination takes this event.`)}
${deliveries.slice(0, MOST_DELIVERIES).map(
  (delivery) => html`<h2>${printable(delivery.destinationName)} ${deliveryBadge(delivery, t)}</h2>
<p><span class="id">${delivery.id}</span>${delivery.reason && html` · ${forwardingHtml(delivery.reason, t)}`}</p>
${delivery.latestAttempts.length > 0 && attemptsTable(delivery.latestAttempts.slice(-most), t`Attempts at ${{ name: delivery.destinationName }}`, t)}
${delivery.latestAttempts.length > most && html`<p class="hint">${t`The latest ${{ shown: most }} of ${{ all: delivery.latestAttempts.length }} attempts.`}</p>`}`,
)}
${deliveries.length > MOST_DELIVERIES && html`<p>${t`${{ count: deliveries.length - MOST_DELIVERIES }} more are not shown.`}</p>`}`
    return { title: t`Deliveries`, body }
  },
}

/** Shows masked data once: the log of actions records it before. */
export const UNMASK: FormAction = {
  path: '/events/:id/unmask',
  async submit(request) {
    const { params, form, ask } = request
    const id = params.id ?? ''
    const body = { reason: form.get('reason')?.trim() ?? '' }
    const answer = await ask('unmaskEvent', { params: { id }, body })
    if (answer.status >= 400) return resultOf(answer, `/ui${pathOf`/events/${id}`}`, '')
    const view = await eventView(request, jsonOf(answer), answer.text, true)
    return { kind: 'page', view }
  },
}

const PROBES = 20
const MOST_DELIVERIES = 60
const MOST_ATTEMPTS = 150
