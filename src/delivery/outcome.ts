import type { AttemptOutcome, ClaimedDelivery } from '../domain/delivery.ts'
import type { Destination } from '../domain/destination.ts'
import { forwardingText } from '../domain/forwarding/forwarding-texts.ts'
import { numberedId } from '../domain/public-id.ts'
import { namedParts } from '../domain/realm.ts'
import { limitedRetryAfterMs, nextStep, type RetryPolicy } from '../domain/retry-schedule.ts'
import type { AbortedAttempt, AttemptResult } from './send.ts'

/** Wait after a 410, which pauses the destination and uses no step. */
const GONE_WAIT_MS = 1000

export interface Circumstances {
  readonly policy: RetryPolicy
  readonly random: number
  readonly isCircuitOpen: boolean
}

/** Decides what follows from an attempt. A remote 500 is a value, not an error. */
export function outcomeOf(
  delivery: ClaimedDelivery,
  result: AttemptResult,
  { policy, random, isCircuitOpen }: Circumstances,
): AttemptOutcome {
  const { startedAt, durationMs, status, error, answer } = result
  const { deliveryId, attempt } = delivery
  const now = startedAt + durationMs
  const outcome = { deliveryId, attempt, startedAt, durationMs, status, error, answer }
  if (error === null) return { ...outcome, result: DELIVERED }
  // Neither a 410 nor an open circuit uses a step of the schedule. The probes decide when something is sent, so only Retry-After delays the
  // delivery: everything else is due when the circuit closes.
  if (isGone(result) || isCircuitOpen) {
    const waitMs = isGone(result) ? GONE_WAIT_MS : retryAfterMs(result, policy)
    return { ...outcome, result: { state: 'pending', at: now + waitMs, retriesUsed: delivery.retriesUsed } }
  }
  const retriesUsed = delivery.retriesUsed + 1
  const next = nextStep(policy, {
    retriesUsed,
    now,
    receivedAt: delivery.agesFrom,
    retryAfterMs: retryAfterMs(result, policy),
    random,
  })
  return { ...outcome, result: next.state === 'pending' ? { ...next, retriesUsed } : next }
}

const DELIVERED = { state: 'delivered' } as const

/** The policy of a destination's deliveries: with its own schedule, and without an age limit while the clock is not plausible. */
export function policyFor(
  destination: Pick<Destination, 'schedule'>,
  { policy, isClockPlausible }: { readonly policy: RetryPolicy; readonly isClockPlausible?: () => boolean },
): RetryPolicy {
  const schedule = destination.schedule ?? policy.schedule
  const maxAgeMs = isClockPlausible?.() === false ? Number.POSITIVE_INFINITY : policy.maxAgeMs
  return { ...policy, schedule, maxAgeMs }
}

/** The wait that the destination asked for, in ms from the end of the attempt. */
export function retryAfterMs({ retryAfter, startedAt, durationMs }: AttemptResult, policy: RetryPolicy): number {
  return limitedRetryAfterMs(policy, retryAfter, startedAt + durationMs)
}

/** The end of a delivery that is older than `forwarding.maxAge`, without another attempt; null: it is not too old. */
export function expired(delivery: ClaimedDelivery, policy: RetryPolicy, now: number): AttemptOutcome | null {
  if (now - delivery.agesFrom <= policy.maxAgeMs) return null
  return {
    deliveryId: delivery.deliveryId,
    attempt: delivery.attempt,
    startedAt: now,
    durationMs: 0,
    status: null,
    error: forwardingText('too_old_to_send'),
    answer: new Uint8Array(),
    result: { state: 'exhausted', reason: forwardingText('too_old') },
  }
}

/** The gateway aborted an attempt that may have arrived, so it is recorded. It uses no step, and the delivery is due at once. */
export function interrupted(delivery: ClaimedDelivery, { startedAt, durationMs }: AbortedAttempt): AttemptOutcome {
  return {
    deliveryId: delivery.deliveryId,
    attempt: delivery.attempt,
    startedAt,
    durationMs,
    status: null,
    error: forwardingText('interrupted'),
    answer: new Uint8Array(),
    result: { state: 'pending', at: startedAt + durationMs, retriesUsed: delivery.retriesUsed },
  }
}

/** 410: the destination says that it is gone permanently. */
export function isGone(result: AttemptResult): boolean {
  return result.status === 410
}

/** The wide log line of an attempt. */
export function lineOf(delivery: ClaimedDelivery, destination: Destination, outcome: AttemptOutcome): object {
  return {
    delivery: numberedId('dlv', delivery.deliveryId),
    eventId: delivery.event.id,
    kind: delivery.event.kind,
    ...namedParts(delivery.event.environment),
    destination: destination.name,
    attempt: delivery.attempt,
    status: outcome.status,
    error: outcome.error ?? undefined,
    durationMs: outcome.durationMs,
    result: outcome.result.state,
    nextAttemptAt: outcome.result.state === 'pending' ? new Date(outcome.result.at).toISOString() : undefined,
  }
}
