import type { ClaimedDelivery } from '../domain/delivery.ts'
import { type Destination, signingSecrets } from '../domain/destination.ts'
import { isExtraHeaderAllowed } from '../domain/destination-rules.ts'
import { loopBehind } from '../domain/forwarding/forwarding-loop.ts'
import { environmentOf, institutionOf } from '../domain/realm.ts'
import { sign } from './signature.ts'

/** The content type as received, or a generic one where there was none or it is no valid header value (RFC 9110 sections 5.5 and 8.3). */
function safeContentType(received: string | null): string {
  return received !== null && /^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/.test(received)
    ? received
    : 'application/octet-stream'
}

/**
 * Headers of one attempt with a new signature; names and values alternate.
 * @throws PortariaError `configuration_invalid` for a bad secret
 */
export function requestHeaders(
  delivery: ClaimedDelivery,
  destination: Destination,
  sending: { readonly now: number; readonly version: string; readonly instance: string },
): string[] {
  const { event, body, contentType } = delivery
  const timestampSeconds = Math.floor(sending.now / 1000)
  const secrets = signingSecrets(destination, sending.now)
  const headers: string[] = []
  const add = (name: string, value: string) => headers.push(name, value)
  add('content-type', safeContentType(contentType))
  add('webhook-id', event.id)
  add('webhook-timestamp', String(timestampSeconds))
  add('webhook-signature', sign({ id: event.id, timestampSeconds, body, secrets }))
  add('portaria-kind', event.kind)
  add('portaria-environment', environmentOf(event.environment))
  const institution = institutionOf(event.environment)
  if (institution !== null) add('portaria-institution', institution)
  add('portaria-authentication', event.authentication)
  if (event.source === 'resolved' || event.source === 'reconciled') add('portaria-source', event.source)
  if (event.source === 'unresolved') add('portaria-unresolved', 'true')
  add('portaria-received-at', new Date(event.receivedAt).toISOString())
  add('portaria-attempt', String(delivery.attempt))
  if (delivery.isReplay) add('portaria-replay', 'true')
  if (event.parts > 1) add('portaria-part', `${event.part}/${event.parts}`)
  add('cdn-loop', loopBehind(delivery.loop, sending.instance))
  add('user-agent', `Portaria/${sending.version}`)
  for (const [name, value] of destination.headers) if (isExtraHeaderAllowed(name)) add(name, value)
  return headers
}
