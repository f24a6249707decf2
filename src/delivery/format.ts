import type { ClaimedDelivery } from '../domain/delivery.ts'
import type { DeliveryFormat } from '../domain/destination.ts'
import { visibleSource } from '../domain/event-record.ts'
import { partsOf } from '../domain/realm.ts'
import { readBodyText } from '../platform/body-text.ts'
import { isJson, isJsonText } from '../platform/json-text.ts'

/**
 * The delivery with the body that is sent. `event`: our envelope, the same bytes in every attempt. Its `data` has the bytes of the format
 * `original` unchanged, so that no number is reformatted. JSON in
 * another charset is turned into UTF-8. For a body that is not JSON, `data` is null and `dataBase64` has the bytes.
 */
export function inFormat(delivery: ClaimedDelivery, format: DeliveryFormat): ClaimedDelivery {
  if (format === 'original') return delivery
  return { ...delivery, contentType: 'application/json', body: envelopeOf(delivery) }
}

function envelopeOf({ event, contentType, body }: ClaimedDelivery): Buffer {
  const { receivedAt, part, parts } = event
  const head = JSON.stringify({
    id: event.id,
    kind: event.kind,
    ...partsOf(event.environment),
    subject: event.subject,
    status: event.status,
    receivedAt: new Date(receivedAt).toISOString(),
    authentication: event.authentication,
    source: visibleSource(event),
    unresolved: event.source === 'unresolved',
    part,
    parts,
    contentType,
  })
  return Buffer.concat([Buffer.from(`${head.slice(0, -1)},"data":`), dataOf(body, contentType), Buffer.from('}')])
}

function dataOf(body: Uint8Array, contentType: string | null): Uint8Array {
  if (isJson(body)) return body
  const text = readBodyText(body, contentType)?.text
  if (text !== undefined && isJsonText(text)) return Buffer.from(text)
  return Buffer.from(`null,"dataBase64":"${Buffer.from(body).toString('base64')}"`)
}
