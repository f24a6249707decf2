export interface RetryPolicy {
  /** Wait before each step, in ms; the first is the wait before the first attempt. */
  readonly schedule: readonly number[]
  /** 0.2: each wait is spread by ±20 %. */
  readonly jitter: number
  /** A delivery whose event is older than this, in ms, is exhausted. */
  readonly maxAgeMs: number
  /** Longest `Retry-After` that is honoured, in ms. */
  readonly retryAfterLimitMs: number
}

export interface FailedStep {
  /** Steps of the schedule used up, this one included. */
  readonly retriesUsed: number
  readonly now: number
  /** When the event was received. */
  readonly receivedAt: number
  /** What the destination asked for, in ms, or null. */
  readonly retryAfterMs: number | null
  /** A number from 0 to 1. */
  readonly random: number
}

export type NextStep =
  | { readonly state: 'pending'; readonly at: number }
  | { readonly state: 'exhausted'; readonly reason: 'schedule used up' | 'older than forwarding.maxAge' }

/** When a failed delivery is tried again, or why it is not. */
export function nextStep(policy: RetryPolicy, failed: FailedStep): NextStep {
  const wait = policy.schedule[failed.retriesUsed]
  if (wait === undefined) return { state: 'exhausted', reason: 'schedule used up' }
  const spread = wait * (1 + policy.jitter * (failed.random * 2 - 1))
  const asked = Math.min(failed.retryAfterMs ?? 0, policy.retryAfterLimitMs)
  const at = failed.now + Math.round(Math.max(spread, asked))
  if (at - failed.receivedAt > policy.maxAgeMs) return { state: 'exhausted', reason: 'older than forwarding.maxAge' }
  return { state: 'pending', at }
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
