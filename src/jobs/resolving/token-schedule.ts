import type { WaitingToken } from '../../domain/service/notification-token.ts'

/** Waits after an answer without a new entry: the entry may become visible later than its callback. */
const LATE_WAITS_MS = [5_000, 60_000]

const FIRST_WAIT_MS = 2_000
const LONGEST_WAIT_MS = 30 * 60_000
const LONGEST_LATE_WAIT_MS = 24 * 3_600_000
/** After this time the service is asked no more. */
const GIVE_UP_MS = 30 * 86_400_000
const JITTER = 0.2

export interface Circumstances {
  /** As in TokenFailure. */
  readonly isAboutToken: boolean
  readonly now: number
  readonly resolveWithinMs: number
  /** A number from 0 to 1. */
  readonly random: number
}

export interface NextQuery {
  /** null: there is none any more. */
  readonly nextAttemptAt: number | null
  /** The token has waited for so long that it becomes an event. */
  readonly isUnresolved: boolean
}

/**
 * After a failed query: waits from 2 s to 30 min, never beyond the time at which the token becomes an event; then up to a day, for 30 days, if the
 * service does not know the token.
 */
export function nextAfterFailure(token: WaitingToken, at: Circumstances): NextQuery {
  const { isAboutToken, now, resolveWithinMs, random } = at
  const waitedMs = now - token.waitingSince
  const isUnresolved = token.isUnresolved || waitedMs >= resolveWithinMs
  if (waitedMs >= GIVE_UP_MS) return { nextAttemptAt: null, isUnresolved: true }
  const wait =
    isUnresolved && isAboutToken
      ? Math.min(Math.max(LONGEST_WAIT_MS, waitedMs / 4), LONGEST_LATE_WAIT_MS)
      : Math.min(FIRST_WAIT_MS * 2 ** Math.min(token.attempts, 20), LONGEST_WAIT_MS)
  const next = now + Math.round(wait * (1 + JITTER * (random * 2 - 1)))
  return { nextAttemptAt: isUnresolved ? next : Math.min(next, token.waitingSince + resolveWithinMs), isUnresolved }
}

/** After an answer, in case it has no new entry. @param earlier number of such answers before @returns null: the job is done */
export function nextAfterAnswer(earlier: number, now: number): number | null {
  const wait = LATE_WAITS_MS[earlier]
  return wait === undefined ? null : now + wait
}
