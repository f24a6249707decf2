import type { ClaimedDelivery, ClaimRequest, DeliveryState } from '../../domain/delivery.ts'
import type { EventAuthentication, EventSource } from '../../domain/event.ts'
import { loopIn } from '../../domain/forwarding/forwarding-loop.ts'
import { eventId } from '../../domain/public-id.ts'
import type { Realm } from '../../domain/realm.ts'
import { sourceOfRow } from './event-row.ts'
import type { SpanRow } from './span-row.ts'

/** A delivery that is due, before its claim. */
export interface ClaimRow extends SpanRow {
  delivery_id: number
  attempts: number
  retries_used: number
  next_attempt_at: number
  claimed_by: number | null
  order_key: number | null
  created_at: number
  replayed_at: number | null
  replay_id: number | null
  delivered_at: number | null
  position: number
  nonce: string
  kind: string
  environment: Realm
  authentication: EventAuthentication
  source: EventSource | null
  subject: string | null
  status: string | null
  received_at: number
  part: number
  parts: number
  callback_id: number
  content_type: string | null
  /** JSON; null without a CDN-Loop header. */
  loop_headers: string | null
}

/** The delivery of a recorded attempt. */
export interface HeldDelivery {
  claimed_by: number | null
  attempts: number
  state: DeliveryState
  destination_id: number
  order_key: number | null
  /** An operator retried or replayed it during the attempt. */
  is_restarted: boolean | number
  /** A response body may repeat what a redaction removed meanwhile. */
  is_redacted: boolean | number
}

export function claimedDeliveryOf(
  row: ClaimRow,
  request: ClaimRequest,
  body: Uint8Array,
  isReplay: boolean,
): ClaimedDelivery {
  const loop = row.loop_headers === null ? undefined : loopIn(row.loop_headers)
  return {
    deliveryId: row.delivery_id,
    destinationId: request.destinationId,
    attempt: row.attempts + 1,
    retriesUsed: row.retries_used,
    dueAt: row.next_attempt_at,
    agesFrom: row.replayed_at ?? row.created_at,
    hasOrderKey: row.order_key !== null,
    isBacklog: row.replay_id !== null || row.next_attempt_at < request.freshSince,
    isReplay,
    event: {
      id: eventId(row.position, row.nonce),
      kind: row.kind,
      environment: row.environment,
      authentication: row.authentication,
      source: sourceOfRow(row),
      subject: row.subject,
      status: row.status,
      receivedAt: row.received_at,
      part: row.part,
      parts: row.parts,
    },
    contentType: row.content_type,
    ...(loop !== undefined && { loop }),
    body,
  }
}
