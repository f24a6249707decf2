import { X509Certificate } from 'node:crypto'
import type { Peer } from '../../domain/event.ts'
import { type EventRecord, type EventWithBody, type Evidence, visibleSource } from '../../domain/event-record.ts'
import { numberedId } from '../../domain/public-id.ts'
import { partsOf } from '../../domain/realm.ts'
import { readBodyText } from '../../platform/body-text.ts'
import { nameOnOneLine } from '../../platform/certificate-identity.ts'
import { type SubjectIdentifiers, subjectIdentifiers } from '../../platform/certificate-subject.ts'
import { isJsonText } from '../../platform/json-text.ts'
import { iso, isoOrNull } from '../../platform/time.ts'
import type { View } from '../http/schema-parts.ts'
import type { eventSummarySchema, evidenceSchema } from './schema.ts'

/** An event without its data. */
export function eventSummary(event: EventRecord): View<typeof eventSummarySchema> {
  return {
    id: event.id,
    kind: event.kind,
    ...partsOf(event.environment),
    subject: event.subject,
    status: event.status,
    receivedAt: iso(event.receivedAt),
    listener: event.listener,
    authentication: event.authentication,
    source: visibleSource(event),
    unresolved: event.source === 'unresolved',
    mark: event.mark,
    part: event.parts > 1 ? `${event.part}/${event.parts}` : null,
    duplicates: event.duplicates,
    lastSeenAt: isoOrNull(event.lastSeenAt),
    callback: callbackOf(event),
    payloadRemovedAt: isoOrNull(event.payloadRemovedAt),
  }
}

/** The JSON text of an event, an object. */
export type EventTextOf = (event: EventWithBody) => string

/**
 * An event as JSON text. Its data is copied as received, so that no number is rounded, and turned into UTF-8 from another charset: JSON as JSON,
 * other text as a string, other bytes as `dataBase64`.
 */
export function eventText(event: EventWithBody): string {
  const summary = JSON.stringify({ ...eventSummary(event), contentType: event.contentType })
  return `${summary.slice(0, -1)},${dataMember(event)}}`
}

/** The JSON members `data` and `dataBase64` for the bytes of a fact. */
export function dataMember(fact: Pick<EventWithBody, 'body' | 'contentType' | 'payloadRemovedAt'>): string {
  if (fact.payloadRemovedAt !== null) return '"data":null'
  const text = readBodyText(fact.body, fact.contentType)?.text
  if (text === undefined) return `"data":null,"dataBase64":"${Buffer.from(fact.body).toString('base64')}"`
  return `"data":${isJsonText(text) ? text : JSON.stringify(text)}`
}

export function evidenceView(evidence: Evidence): View<typeof evidenceSchema> {
  const { peer } = evidence
  return {
    callback: callbackOf(evidence),
    route: evidence.kind,
    ...partsOf(evidence.environment),
    listener: evidence.listener,
    authentication: evidence.authentication,
    receivedAt: iso(evidence.receivedAt),
    remoteAddress: evidence.remoteAddress,
    target: evidence.target,
    tlsVersion: evidence.tlsVersion,
    cipher: evidence.cipher,
    contentType: evidence.contentType,
    headers: evidence.headers,
    bytes: evidence.body.length,
    bodyRemovedAt: isoOrNull(evidence.bodyRemovedAt),
    peer:
      peer === null
        ? null
        : {
            ...peer,
            subject: nameOnOneLine(peer.subject),
            issuer: nameOnOneLine(peer.issuer),
            notAfter: iso(peer.notAfter),
            ...identifiersOf(peer),
          },
  }
}

function identifiersOf({ pem }: Peer): { readonly identifiers?: SubjectIdentifiers } {
  const identifiers = subjectIdentifiers(new X509Certificate(pem))
  return identifiers === null ? {} : { identifiers }
}

/** null: the gateway created the event itself. */
function callbackOf({ callbackId }: { readonly callbackId: number | null }): string | null {
  return callbackId === null ? null : numberedId('clb', callbackId)
}
