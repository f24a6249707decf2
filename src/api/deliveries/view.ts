import type { AttemptRecord, DeliveryRecord } from '../../domain/delivery.ts'
import { numberedId } from '../../domain/public-id.ts'
import { partsOf } from '../../domain/realm.ts'
import { iso, isoOrNull } from '../../platform/time.ts'
import type { View } from '../http/schema-parts.ts'
import { excerptOf } from './response-body.ts'
import type { attemptSchema, deliverySchema } from './schema.ts'

/** When the next probe of a destination may be sent while its circuit is open; null: unknown, or as soon as a delivery is due. */
export type NextProbeOf = (destinationId: number) => number | null

export function deliveryView(delivery: DeliveryRecord, nextProbeOf: NextProbeOf): View<typeof deliverySchema> {
  return {
    id: numberedId('dlv', delivery.deliveryId),
    event: delivery.eventId,
    kind: delivery.kind,
    ...partsOf(delivery.environment),
    subject: delivery.subject,
    destination: numberedId('dst', delivery.destinationId),
    destinationName: delivery.destinationName,
    state: delivery.state,
    attempts: delivery.attempts,
    nextAttemptAt: isoOrNull(delivery.nextAttemptAt),
    waitsFor: delivery.waitsFor,
    nextProbeAt: delivery.waitsFor === 'circuit' ? isoOrNull(nextProbeOf(delivery.destinationId)) : null,
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
