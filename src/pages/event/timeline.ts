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
import type { AttemptView, ConsumerView, DeliveryView, EventDetail } from './model.ts'

const SHOWN_DELIVERIES = 20
const SHOWN_ATTEMPTS = 10

/** Where the event came from, and where it went. */
export interface Journey {
  readonly event: EventDetail
  /** The service's latest test call before the event; null: none is stored, or the event has no need for one. */
  readonly probe: { readonly id: string; readonly receivedAt: string } | null
  readonly deliveries: readonly DeliveryView[]
  /** Whether these are the deliveries to all destinations. */
  readonly isEveryDelivery: boolean
  /** null: the person may not see consumers. */
  readonly consumers: readonly ConsumerView[] | null
  /** Whether these are all consumers of all owners. */
  readonly isEveryConsumer: boolean
}

export function timeline(journey: Journey, words: Catalogue): Html {
  const steps = [
    probeStep(journey, words),
    receivedStep(journey, words),
    storedStep(journey, words),
    deliveriesStep(journey, words),
    polledStep(journey, words),
  ]
  return html`<section aria-labelledby="timeline"><h2 id="timeline">${words.event.timeline}</h2>
<ol class="timeline">${steps.map((step) => step && html`<li>${step}</li>\n`)}</ol></section>`
}

/** Its own, or that of its token. */
export function isFromCallback(source: EventDetail['source']): boolean {
  return source === 'callback' || source === 'resolved'
}

function probeStep({ probe, event }: Journey, { event: words }: Catalogue): Html | null {
  if (event.kind === 'probe' || !isFromCallback(event.source)) return null
  if (probe === null) return html`<h3>${words.probe.title}</h3><p>${words.probe.none}</p>`
  return html`<h3>${words.probe.title}</h3>
<p>${timeOf(probe.receivedAt)} · <a href="/ui${pathOf`/events/${probe.id}`}">${words.probe.link}</a></p>`
}

function receivedStep({ event }: Journey, { event: words }: Catalogue): Html {
  const { evidence } = event
  const { peer } = evidence
  if (event.source === 'gateway')
    return html`<h3>${words.made.title}</h3><p>${timeOf(event.receivedAt, true)} · ${words.made.text}</p>`
  const { received } = words
  const { title, text } = receiptOf(event, received)
  return html`<h3>${title}</h3>
<p>${timeOf(event.receivedAt, true)}</p>
${text && html`<p>${text}</p>`}
${event.unresolved && html`<p>${received.unresolvedText}</p>`}
${facts([
  [received.how, received.authentications[event.authentication]],
  [received.certificate, peer && printable(peer.subject)],
  [received.fingerprint, peer && html`<span class="id">${peer.fingerprint}</span>`],
  [received.address, evidence.remoteAddress],
  [
    received.tls,
    evidence.tlsVersion && `${evidence.tlsVersion}${evidence.cipher === null ? '' : `, ${evidence.cipher}`}`,
  ],
  [received.listener, evidence.listener],
  [received.target, evidence.target && html`<code>${printable(evidence.target)}</code>`],
  [received.part, event.part],
  [
    received.repeated,
    event.duplicates > 0 &&
      html`${event.duplicates}${event.lastSeenAt && html`, ${received.lastTime} ${timeOf(event.lastSeenAt)}`}`,
  ],
])}`
}

function receiptOf({ source }: EventDetail, received: Catalogue['event']['received']) {
  if (source === 'resolved') return { title: received.resolvedTitle, text: received.resolvedText }
  if (source === 'reconciled') return { title: received.reconciledTitle, text: received.reconciledText }
  return { title: received.title, text: null }
}

function storedStep({ event }: Journey, { event: words }: Catalogue): Html {
  const position = parseEventId(event.id)?.position
  return html`<h3>${words.stored.title}</h3>
<p>${isFromCallback(event.source) ? words.stored.text : words.stored.own}</p>
${facts([
  [words.stored.position, position],
  [words.stored.payloadHash, event.hashes && html`<span class="id">${event.hashes.payload}</span>`],
  [words.stored.eventHash, event.hashes && html`<span class="id">${event.hashes.event}</span>`],
])}`
}

function deliveriesStep({ event, deliveries, isEveryDelivery }: Journey, words: Catalogue): Html {
  const shown = deliveries.slice(0, SHOWN_DELIVERIES)
  return html`<h3>${words.deliveries.title}</h3>
${deliveries.length === 0 && html`<p>${isEveryDelivery ? words.deliveries.none : words.deliveries.noneOfYours}</p>`}
${shown.map((delivery) => deliveryOf(delivery, event.id, words))}
${deliveries.length > shown.length && html`<p>${words.deliveries.more(deliveries.length - shown.length)}</p>`}
${deliveries.length > 0 && html`<p><a href="/ui${pathOf`/events/${event.id}/deliveries`}">${words.deliveries.all}</a></p>`}`
}

function deliveryOf(delivery: DeliveryView, event: string, words: Catalogue): Html {
  const { deliveries } = words
  const latestAttempts = delivery.latestAttempts.slice(-SHOWN_ATTEMPTS)
  return html`<div class="card">
<p><strong>${printable(delivery.destinationName)}</strong> ${deliveryBadge(delivery.state, words)} <span class="id">${delivery.id}</span></p>
${facts([
  [deliveries.created, timeOf(delivery.createdAt)],
  [deliveries.ended, delivery.endedAt && timeOf(delivery.endedAt)],
  [deliveries.next, nextAttemptOf(delivery, words)],
  [deliveries.reason, delivery.reason && forwardingHtml(delivery.reason, words)],
])}
${latestAttempts.length > 0 && attemptsTable(latestAttempts, deliveries.attemptsOf(delivery.destinationName), words)}
${delivery.latestAttempts.length > latestAttempts.length && html`<p><a href="/ui${pathOf`/events/${event}/deliveries`}">${deliveries.allAttempts(delivery.latestAttempts.length)}</a></p>`}
</div>`
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

function polledStep({ event, consumers, isEveryConsumer }: Journey, { event: words }: Catalogue): Html {
  const { polled } = words
  const position = parseEventId(event.id)?.position ?? Number.POSITIVE_INFINITY
  const past = (consumers ?? []).filter((consumer) => (parseCursor(consumer.position)?.position ?? 0) >= position)
  return html`<h3>${polled.title}</h3>
${past.length > 0 && html`<p>${polled.given}</p><ul>${past.map(({ name, owner, acknowledgedAt }) => html`<li>${printable(name)} (${owner ?? polled.operator})${acknowledgedAt && html`, ${polled.acknowledged} ${timeOf(acknowledgedAt)}`}</li>\n`)}</ul>`}
${past.length === 0 && html`<p>${consumers === null ? polled.hidden : polled.none}</p>`}
<p class="hint">${polled.unknown}${consumers !== null && !isEveryConsumer && ` ${polled.own}`}</p>`
}
