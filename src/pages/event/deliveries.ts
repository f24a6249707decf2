import { forwardingTextIn } from '../../domain/forwarding/forwarding-texts.ts'
import { parseCursor, parseEventId } from '../../domain/public-id.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { printable } from '../../platform/control-characters.ts'
import { pathOf } from '../frame/path-of.ts'
import { deliveryBadge } from '../parts/delivery-badge.ts'
import { facts } from '../parts/facts.ts'
import { forwardingHtml } from '../parts/forwarding-text.ts'
import { type Html, html } from '../parts/html.ts'
import { nextAttemptOf } from '../parts/next-attempt.ts'
import { table } from '../parts/table.ts'
import { timeOf } from '../parts/time.ts'
import { copiedId } from './copied.ts'
import type { AttemptView, ConsumerView, DeliveryView, EventDetail } from './model.ts'

const SHOWN_DELIVERIES = 20
/** Attempts are seen at once of so many deliveries. */
const MOST_OPEN = 5
const SHOWN_ATTEMPTS = 3

/** Where an event went. */
export interface Onward {
  readonly event: EventDetail
  readonly deliveries: readonly DeliveryView[]
  /** Whether these are the deliveries to all destinations. */
  readonly isEveryDelivery: boolean
  /** null: the person may not see consumers. */
  readonly consumers: readonly ConsumerView[] | null
  /** Whether these are all consumers of all owners. */
  readonly isEveryConsumer: boolean
}

/** The deliveries, those that are delivered folded, and the consumers. */
export function deliveriesSection(onward: Onward, t: Speaker): Html {
  const { event, isEveryDelivery } = onward
  const deliveries = [...onward.deliveries].sort((one, two) => Number(isDelivered(one)) - Number(isDelivered(two)))
  const shown = deliveries.slice(0, SHOWN_DELIVERIES)
  return html`<section aria-labelledby="deliveries"><h2 id="deliveries">${t`Deliveries`}</h2>
${deliveries.length === 0 && html`<p>${isEveryDelivery ? t`No destination takes this event.` : t`You see only deliveries to destinations of your own. There is none.`}</p>`}
${shown.map((delivery, at) => deliveryOf(delivery, at < MOST_OPEN, event.id, t))}
${deliveries.length > shown.length && html`<p>${t`${{ count: deliveries.length - shown.length }} more are not shown.`}</p>`}
${deliveries.length > 0 && html`<p><a href="/ui${pathOf`/events/${event.id}/deliveries`}">${t`All deliveries and attempts of this event`}</a></p>`}
${polledBy(onward, t)}</section>`
}

function isDelivered({ state }: DeliveryView): boolean {
  return state === 'delivered'
}

function deliveryOf(delivery: DeliveryView, isOpen: boolean, event: string, t: Speaker): Html {
  const latestAttempts = delivery.latestAttempts.slice(-SHOWN_ATTEMPTS)
  const next = nextAttemptOf(delivery, t)
  return html`<details class="card"${isOpen && !isDelivered(delivery) && html` open`}><summary>${printable(delivery.destinationName)} ${deliveryBadge(delivery, t)}${delivery.endedAt && html` ${timeOf(delivery.endedAt)}`}</summary>
${delivery.waitsFor !== null && html`<p><strong>${next}</strong></p>`}
${facts([
  [t`Id`, copiedId(delivery.id, t`delivery id`, t)],
  [t.in('delivery')`Created`, timeOf(delivery.createdAt)],
  [t.in('delivery')`Ended`, delivery.endedAt && timeOf(delivery.endedAt)],
  [t`Next attempt`, delivery.waitsFor === null && next],
  [t`Why it ended`, delivery.reason && forwardingHtml(delivery.reason, t)],
])}
${latestAttempts.length > 0 && attemptsTable(latestAttempts, t`Attempts at ${{ name: delivery.destinationName }}`, t)}
${delivery.latestAttempts.length > latestAttempts.length && html`<p><a href="/ui${pathOf`/events/${event}/deliveries`}">${t`All ${{ count: delivery.latestAttempts.length }} attempts`}</a></p>`}
</details>`
}

export function attemptsTable(latestAttempts: readonly AttemptView[], caption: string, t: Speaker): Html {
  return table<AttemptView>(
    caption,
    [
      { title: t`Attempt`, cell: ({ attempt }) => attempt, isNumber: true },
      { title: t.in('attempt')`Time`, cell: ({ startedAt }) => timeOf(startedAt, true) },
      { title: t`Duration`, cell: ({ durationMs }) => `${Math.round(durationMs)} ms`, isNumber: true },
      { title: t`Answer`, cell: (one) => outcomeOf(one, t) ?? t`no answer` },
      { title: t`Its text`, cell: ({ answer }) => answer !== '' && html`<code>${answer}</code>` },
    ],
    latestAttempts,
  )
}

/** The status, or the error where it says more, such as where a redirect leads to. */
function outcomeOf({ status, error }: AttemptView, t: Speaker): number | Html | null {
  const saysMore = error !== null && forwardingTextIn(error)?.code !== 'answered'
  return saysMore ? forwardingHtml(error, t) : status
}

function polledBy({ event, consumers, isEveryConsumer }: Onward, t: Speaker): Html {
  const position = parseEventId(event.id)?.position ?? Number.POSITIVE_INFINITY
  const past = (consumers ?? []).filter((consumer) => (parseCursor(consumer.position)?.position ?? 0) >= position)
  return html`<h3>${t`Polled`}</h3>
${past.length > 0 && html`<p>${t`These consumers are past the event: they received it, unless the filter of a request skipped it.`}</p><ul>${past.map(({ name, owner, acknowledgedAt }) => html`<li>${printable(name)} (${owner ?? t`operator`})${acknowledgedAt && html`, ${t`acknowledged last`} ${timeOf(acknowledgedAt)}`}</li>\n`)}</ul>`}
${past.length === 0 && html`<p>${consumers === null ? t`You may not see consumers.` : t`No consumer that you may see is past this event.`}</p>`}
<p class="hint">${t`Apps that poll without a consumer leave no trace.`}${consumers !== null && !isEveryConsumer && ` ${t`You see only your own consumers.`}`}</p>`
}
