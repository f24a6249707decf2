import { forwardingText } from './forwarding/forwarding-texts.ts'

export interface RetryPolicy {
  /** Wait before each attempt, in ms, the first one included. */
  readonly schedule: readonly number[]
  /** 0.2: each wait is spread by ±20 %. */
  readonly jitter: number
  /** A delivery whose event is older than this, in ms, is exhausted. */
  readonly maxAgeMs: number
  /** A longer `Retry-After` is shortened to this, in ms. */
  readonly retryAfterLimitMs: number
}

export interface FailedStep {
  /** Used steps of the schedule, including this one. */
  readonly retriesUsed: number
  readonly now: number
  /** When the event was received. */
  readonly receivedAt: number
  /** The wait that the destination asked for, limited already (`limitedRetryAfterMs`); 0: it asked for none. */
  readonly retryAfterMs: number
  /** A number from 0 to 1. */
  readonly random: number
}

export type NextStep =
  | { readonly state: 'pending'; readonly at: number }
  | { readonly state: 'exhausted'; readonly reason: string }

/** When a failed delivery is tried again, or why it is exhausted. */
export function nextStep(policy: RetryPolicy, failed: FailedStep): NextStep {
  const wait = policy.schedule[failed.retriesUsed]
  if (wait === undefined) return { state: 'exhausted', reason: forwardingText('schedule_used_up') }
  const spread = wait * (1 + policy.jitter * (failed.random * 2 - 1))
  const at = failed.now + Math.round(Math.max(spread, failed.retryAfterMs))
  if (at - failed.receivedAt > policy.maxAgeMs) return { state: 'exhausted', reason: forwardingText('too_old') }
  return { state: 'pending', at }
}

/** The wait in ms that `Retry-After` asks for. The only place that applies `forwarding.retryAfterLimit`. */
export function limitedRetryAfterMs(
  { retryAfterLimitMs }: Pick<RetryPolicy, 'retryAfterLimitMs'>,
  value: string | undefined,
  now: number,
): number {
  return Math.min(parseRetryAfter(value, now) ?? 0, retryAfterLimitMs)
}

/** `Retry-After` in ms from now: seconds or an HTTP date (RFC 9110 section 10.2.3); null for anything else. */
export function parseRetryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null
  const text = value.trim()
  if (/^[0-9]{1,9}$/.test(text)) return Number(text) * 1000
  if (!/^[A-Za-z]{3}/.test(text)) return null
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}
