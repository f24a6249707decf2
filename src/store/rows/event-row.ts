import type { EventAuthentication, EventSource, ListenerName, Mark } from '../../domain/event.ts'
import type { EventWithBody } from '../../domain/event-record.ts'
import { eventId } from '../../domain/public-id.ts'
import type { Realm } from '../../domain/realm.ts'
import { callbackIdOf } from './evidence-row.ts'
import type { PayloadRow } from './payload-row.ts'

/** An event with its callback. */
export interface EventRow extends PayloadRow {
  position: number
  nonce: string
  kind: string
  environment: Realm
  listener: ListenerName | null
  authentication: EventAuthentication
  source: EventSource | null
  subject: string | null
  status: string | null
  mark: Mark | null
  received_at: number
  part: number
  parts: number
  duplicates: number
  last_seen_at: number | null
  payload_removed_at: number | null
  content_type: string | null
}

/** A reconciled event has no mark of its own: no caller brought its callback. */
export function sourceOfRow({
  source,
  authentication,
}: Pick<EventRow, 'source' | 'authentication'>): EventSource | null {
  return source ?? (authentication === 'service' ? 'reconciled' : null)
}

/** @param body the bytes of this event alone */
export function eventOfRow(row: EventRow, body: Uint8Array): EventWithBody {
  return {
    position: row.position,
    id: eventId(row.position, row.nonce),
    kind: row.kind,
    environment: row.environment,
    listener: row.listener,
    authentication: row.authentication,
    source: sourceOfRow(row),
    subject: row.subject,
    status: row.status,
    mark: row.mark,
    receivedAt: row.received_at,
    part: row.part,
    parts: row.parts,
    duplicates: row.duplicates,
    lastSeenAt: row.last_seen_at,
    callbackId: callbackIdOf(row),
    payloadRemovedAt: row.payload_removed_at,
    contentType: row.content_type,
    body,
  }
}
