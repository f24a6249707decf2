import type { DeliveryRecord, DeliveryState, DeliveryWait } from '../../domain/delivery.ts'
import type { Destination } from '../../domain/destination.ts'
import { eventId } from '../../domain/public-id.ts'
import type { Realm } from '../../domain/realm.ts'

/** A delivery with its event and its destination. */
export interface DeliveryRow {
  id: number
  position: number
  nonce: string
  kind: string
  environment: Realm
  subject: string | null
  destination_id: number
  destination_name: string
  destination_state: Destination['state']
  circuit_opened_at: number | null
  state: DeliveryState
  attempts: number
  next_attempt_at: number | null
  created_at: number
  ended_at: number | null
  reason: string | null
  last_status: number | null
  last_error: string | null
  last_answer: Buffer | null
}

export function deliveryOfRow(row: DeliveryRow): DeliveryRecord {
  return {
    deliveryId: row.id,
    eventId: eventId(row.position, row.nonce),
    kind: row.kind,
    environment: row.environment,
    subject: row.subject,
    destinationId: row.destination_id,
    destinationName: row.destination_name,
    state: row.state,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    waitsFor: waitOf(row),
    createdAt: row.created_at,
    endedAt: row.ended_at,
    reason: row.reason,
    lastStatus: row.last_status,
    lastError: row.last_error,
    lastAnswer: row.last_answer,
  }
}

function waitOf({ state, destination_state, circuit_opened_at }: DeliveryRow): DeliveryWait | null {
  if (state === 'blocked') return 'subject'
  if (state !== 'pending') return null
  if (destination_state === 'paused') return 'resume'
  return destination_state === 'active' && circuit_opened_at !== null ? 'circuit' : null
}
