import type { ClaimedDelivery } from '../domain/delivery.ts'
import { type Destination, signingSecrets } from '../domain/destination.ts'
import { isExtraHeaderAllowed } from '../domain/extra-headers.ts'
import { sign } from './signature.ts'

/** Content type as received; a generic one where it could not stand in a header (RFC 9110 section 5.5). */
function safeContentType(received: string): string {
  return /^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/.test(received) ? received : 'application/octet-stream'
}

/**
 * Headers of one attempt, names and values in turn, freshly signed.
 * @throws PortariaError `configuration_invalid` for a bad secret
 */
export function requestHeaders(
  delivery: ClaimedDelivery,
  destination: Destination,
  sending: { readonly now: number; readonly version: string },
): string[] {
  const { event, body, contentType } = delivery
  const timestampSeconds = Math.floor(sending.now / 1000)
  const secrets = signingSecrets(destination, sending.now)
  const headers = [
    ...(contentType === null ? [] : ['content-type', safeContentType(contentType)]),
    ...['webhook-id', event.id],
    ...['webhook-timestamp', String(timestampSeconds)],
    ...['webhook-signature', sign({ id: event.id, timestampSeconds, body, secrets })],
    ...['portaria-kind', event.kind],
    ...['portaria-environment', event.environment],
    ...['portaria-authentication', event.authentication],
    ...['portaria-received-at', new Date(event.receivedAt).toISOString()],
    ...['portaria-attempt', String(delivery.attempt)],
    ...(delivery.isReplay ? ['portaria-replay', 'true'] : []),
    ...(event.parts > 1 ? ['portaria-part', `${event.part}/${event.parts}`] : []),
    ...['user-agent', `Portaria/${sending.version}`],
  ]
  const extra = destination.headers.filter(([name]) => isExtraHeaderAllowed(name))
  return headers.concat(...extra)
}
