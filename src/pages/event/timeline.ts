import { parseEventId } from '../../domain/public-id.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import { printable } from '../../platform/control-characters.ts'
import { pathOf } from '../frame/path-of.ts'
import { facts } from '../parts/facts.ts'
import { type Html, html } from '../parts/html.ts'
import { timeOf } from '../parts/time.ts'
import type { EventDetail } from './model.ts'

/** Where the event came from. */
export interface Journey {
  readonly event: EventDetail
  /** The service's latest test call before the event; null: none is stored, or the event has no need for one. */
  readonly probe: { readonly id: string; readonly receivedAt: string } | null
}

export function timeline(journey: Journey, words: Catalogue): Html {
  const steps = [probeStep(journey, words), receivedStep(journey, words), storedStep(journey, words)]
  return html`<ol class="timeline">${steps.map((step) => step && html`<li>${step}</li>\n`)}</ol>`
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
