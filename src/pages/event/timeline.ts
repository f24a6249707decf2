import { parseEventId } from '../../domain/public-id.ts'
import { type Said, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { printable } from '../../platform/control-characters.ts'
import { pathOf } from '../frame/path-of.ts'
import { facts } from '../parts/facts.ts'
import { type Html, html } from '../parts/html.ts'
import { timeOf } from '../parts/time.ts'
import type { EventDetail } from './model.ts'

const AUTHENTICATIONS: Readonly<Record<EventDetail['authentication'], Said>> = {
  'mutual-tls': say`client certificate (mutual TLS)`,
  'path-token': say`secret in the URL (path token)`,
  service: say`question to the service`,
  none: say`nothing: the gateway created it`,
}

/** Where the event came from. */
export interface Journey {
  readonly event: EventDetail
  /** The service's latest test call before the event; null: none is stored, or the event has no need for one. */
  readonly probe: { readonly id: string; readonly receivedAt: string } | null
}

export function timeline(journey: Journey, t: Speaker): Html {
  const steps = [probeStep(journey, t), receivedStep(journey, t), storedStep(journey, t)]
  return html`<ol class="timeline">${steps.map((step) => step && html`<li>${step}</li>\n`)}</ol>`
}

/** Its own, or that of its token. */
export function isFromCallback(source: EventDetail['source']): boolean {
  return source === 'callback' || source === 'resolved'
}

function probeStep({ probe, event }: Journey, t: Speaker): Html | null {
  if (event.kind === 'probe' || !isFromCallback(event.source)) return null
  if (probe === null)
    return html`<h3>${t`Tested by the service`}</h3><p>${t`No test call of the service before this event is stored.`}</p>`
  return html`<h3>${t`Tested by the service`}</h3>
<p>${timeOf(probe.receivedAt)} · <a href="/ui${pathOf`/events/${probe.id}`}">${t`the latest test call in this environment before it`}</a></p>`
}

function receivedStep({ event }: Journey, t: Speaker): Html {
  const { evidence } = event
  const { peer } = evidence
  if (event.source === 'gateway')
    return html`<h3>${t`Created by the gateway`}</h3><p>${timeOf(event.receivedAt, true)} · ${t`The gateway reports something about itself: no callback brought this.`}</p>`
  const { title, text } = receiptOf(event, t)
  return html`<h3>${title}</h3>
<p>${timeOf(event.receivedAt, true)}</p>
${text && html`<p>${text}</p>`}
${event.unresolved && html`<p>${t`The service has not said in time what this token means. Events of its entries may follow.`}</p>`}
${facts([
  [t`Authenticated by`, t.of(AUTHENTICATIONS[event.authentication])],
  [t`Certificate of the caller`, peer && printable(peer.subject)],
  [t`Fingerprint (SHA-256)`, peer && html`<span class="id">${peer.fingerprint}</span>`],
  [t`From address`, evidence.remoteAddress],
  ['TLS', evidence.tlsVersion && `${evidence.tlsVersion}${evidence.cipher === null ? '' : `, ${evidence.cipher}`}`],
  [t`Listener`, evidence.listener],
  [t`Path`, evidence.target && html`<code>${printable(evidence.target)}</code>`],
  [t`Part of its callback`, event.part],
  [
    t`Received again`,
    event.duplicates > 0 &&
      html`${event.duplicates}${event.lastSeenAt && html`, ${t`last`} ${timeOf(event.lastSeenAt)}`}`,
  ],
])}`
}

function receiptOf({ source }: EventDetail, t: Speaker) {
  if (source === 'resolved')
    return {
      title: t`Received as a token, then resolved`,
      text: t`The callback was only a token. The gateway asked the service for its entries; this is one of them.`,
    }
  if (source === 'reconciled')
    return {
      title: t`Asked of the service`,
      text: t`No callback had come that told of this state. The gateway asked the service for it; a late callback of the same state counts as received again.`,
    }
  return { title: t`Received`, text: null }
}

function storedStep({ event }: Journey, t: Speaker): Html {
  const position = parseEventId(event.id)?.position
  return html`<h3>${t`Stored`}</h3>
<p>${isFromCallback(event.source) ? t`On disk before the service got its answer.` : t`On disk, in the same order as all events.`}</p>
${facts([
  [t`Position`, position],
  [t`Hash of the payload`, event.hashes && html`<span class="id">${event.hashes.payload}</span>`],
  [t`Hash in the chain`, event.hashes && html`<span class="id">${event.hashes.event}</span>`],
])}`
}
