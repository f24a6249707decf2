import type { QuarantineReason } from '../../domain/accounts.ts'
import type { AuthenticationMethod, ListenerName, Mark } from '../../domain/event.ts'
import { eventId } from '../../domain/public-id.ts'
import type { QuarantinedFact, QuarantineState } from '../../domain/quarantine.ts'

export interface QuarantineRow {
  id: number
  callback_id: number
  kind: string
  environment: QuarantinedFact['environment']
  reason: QuarantineReason
  state: QuarantineState
  listener: ListenerName
  authentication: AuthenticationMethod
  subject: string | null
  status: string | null
  mark: Mark | null
  received_at: number
  part: number
  parts: number
  seen: number
  last_seen_at: number
  decided_at: number | null
  decided_by: string | null
  event_id: number | null
  nonce: string | null
  payload_removed_at: number | null
}

export function factOfRow(row: QuarantineRow): QuarantinedFact {
  return {
    id: row.id,
    kind: row.kind,
    environment: row.environment,
    reason: row.reason,
    state: row.state,
    listener: row.listener,
    authentication: row.authentication,
    subject: row.subject,
    status: row.status,
    mark: row.mark,
    receivedAt: row.received_at,
    part: row.part,
    parts: row.parts,
    seen: row.seen,
    lastSeenAt: row.last_seen_at,
    callbackId: row.callback_id,
    decidedAt: row.decided_at,
    decidedBy: row.decided_by,
    payloadRemovedAt: row.payload_removed_at,
    eventId: row.event_id === null || row.nonce === null ? null : eventId(row.event_id, row.nonce),
  }
}
