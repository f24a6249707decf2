import { forwardingTextIn } from '../../domain/forwarding/forwarding-texts.ts'
import { parseCursor, parseEventId } from '../../domain/public-id.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
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
const SHOWN_ATTEMPTS = 10

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
export function deliveriesSection(onward: Onward, words: Catalogue): Html {
  const { event, isEveryDelivery } = onward
  const deliveries = [...onward.deliveries].sort((one, two) => Number(isDelivered(one)) - Number(isDelivered(two)))
  const shown = deliveries.slice(0, SHOWN_DELIVERIES)
  return html`<section aria-labelledby="deliveries"><h2 id="deliveries">${words.deliveries.title}</h2>
${deliveries.length === 0 && html`<p>${isEveryDelivery ? words.deliveries.none : words.deliveries.noneOfYours}</p>`}
${shown.map((delivery) => deliveryOf(delivery, event.id, words))}
${deliveries.length > shown.length && html`<p>${words.deliveries.more(deliveries.length - shown.length)}</p>`}
${deliveries.length > 0 && html`<p><a href="/ui${pathOf`/events/${event.id}/deliveries`}">${words.deliveries.all}</a></p>`}
${polledBy(onward, words)}</section>`
}

function isDelivered({ state }: DeliveryView): boolean {
  return state === 'delivered'
}

function deliveryOf(delivery: DeliveryView, event: string, words: Catalogue): Html {
  const { deliveries } = words
  const latestAttempts = delivery.latestAttempts.slice(-SHOWN_ATTEMPTS)
  const next = nextAttemptOf(delivery, words)
  return html`<details class="card"${!isDelivered(delivery) && html` open`}><summary>${printable(delivery.destinationName)} ${deliveryBadge(delivery, words)}${delivery.endedAt && html` ${timeOf(delivery.endedAt)}`}</summary>
${delivery.waitsFor !== null && html`<p><strong>${next}</strong></p>`}
${facts([
  [words.event.id, copiedId(delivery.id, words.event.copy.deliveryId, words)],
  [deliveries.created, timeOf(delivery.createdAt)],
  [deliveries.ended, delivery.endedAt && timeOf(delivery.endedAt)],
  [deliveries.next, delivery.waitsFor === null && next],
  [deliveries.reason, delivery.reason && forwardingHtml(delivery.reason, words)],
])}
${latestAttempts.length > 0 && attemptsTable(latestAttempts, deliveries.attemptsOf(delivery.destinationName), words)}
${delivery.latestAttempts.length > latestAttempts.length && html`<p><a href="/ui${pathOf`/events/${event}/deliveries`}">${deliveries.allAttempts(delivery.latestAttempts.length)}</a></p>`}
</details>`
}

export function attemptsTable(latestAttempts: readonly AttemptView[], caption: string, words: Catalogue): Html {
  const { deliveries } = words
  return table<AttemptView>(
    caption,
    [
      { title: deliveries.attempt, cell: ({ attempt }) => attempt, isNumber: true },
      { title: deliveries.started, cell: ({ startedAt }) => timeOf(startedAt, true) },
      { title: deliveries.duration, cell: ({ durationMs }) => `${Math.round(durationMs)} ms`, isNumber: true },
      { title: deliveries.status, cell: (one) => outcomeOf(one, words) ?? deliveries.noAnswer },
      { title: deliveries.answer, cell: ({ answer }) => answer !== '' && html`<code>${answer}</code>` },
    ],
    latestAttempts,
  )
}

/** The status, or the error where it says more, such as where a redirect leads to. */
function outcomeOf({ status, error }: AttemptView, words: Catalogue): number | Html | null {
  const saysMore = error !== null && forwardingTextIn(error)?.code !== 'answered'
  return saysMore ? forwardingHtml(error, words) : status
}

function polledBy({ event, consumers, isEveryConsumer }: Onward, { event: words }: Catalogue): Html {
  const { polled } = words
  const position = parseEventId(event.id)?.position ?? Number.POSITIVE_INFINITY
  const past = (consumers ?? []).filter((consumer) => (parseCursor(consumer.position)?.position ?? 0) >= position)
  return html`<h3>${polled.title}</h3>
${past.length > 0 && html`<p>${polled.given}</p><ul>${past.map(({ name, owner, acknowledgedAt }) => html`<li>${printable(name)} (${owner ?? polled.operator})${acknowledgedAt && html`, ${polled.acknowledged} ${timeOf(acknowledgedAt)}`}</li>\n`)}</ul>`}
${past.length === 0 && html`<p>${consumers === null ? polled.hidden : polled.none}</p>`}
<p class="hint">${polled.unknown}${consumers !== null && !isEveryConsumer && ` ${polled.own}`}</p>`
}
