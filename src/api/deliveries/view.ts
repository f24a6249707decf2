import type { AttemptRecord, DeliveryRecord } from '../../domain/delivery.ts'
import { numberedId } from '../../domain/public-id.ts'
import { iso, isoOrNull } from '../../platform/time.ts'
import type { View } from '../http/schema-parts.ts'
import { excerptOf } from './response-body.ts'
import type { attemptSchema, deliverySchema } from './schema.ts'

export function deliveryView(delivery: DeliveryRecord): View<typeof deliverySchema> {
  return {
    id: numberedId('dlv', delivery.deliveryId),
    event: delivery.eventId,
    kind: delivery.kind,
    environment: delivery.environment,
    subject: delivery.subject,
    destination: numberedId('dst', delivery.destinationId),
    destinationName: delivery.destinationName,
    state: delivery.state,
    attempts: delivery.attempts,
    nextAttemptAt: isoOrNull(delivery.nextAttemptAt),
    createdAt: iso(delivery.createdAt),
    endedAt: isoOrNull(delivery.endedAt),
    reason: delivery.reason,
    lastStatus: delivery.lastStatus,
    lastError: delivery.lastError,
    lastAnswer: excerptOf(delivery.lastAnswer ?? new Uint8Array()) || null,
  }
}

export function attemptView(attempt: AttemptRecord): View<typeof attemptSchema> {
  return {
    attempt: attempt.attempt,
    startedAt: iso(attempt.startedAt),
    durationMs: attempt.durationMs,
    status: attempt.status,
    error: attempt.error,
    answer: excerptOf(attempt.answer),
  }
}
