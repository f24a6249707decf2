import { COMMAND } from '../platform/installation.ts'
/** At a start, a clock is implausible if it is further than this ahead of the last certain time. */
export const CLOCK_LEAD_LIMIT_MS = 7 * 86_400_000
/** While the gateway runs, a clock is implausible if it is further than this ahead of the monotonic clock. A machine may sleep for less. */
export const CLOCK_JUMP_LIMIT_MS = 86_400_000

/** Times on record in the database. */
export interface ClockEvidence {
  /** When the newest callback was received; null: none. */
  readonly newestCallbackAt: number | null
  /** When a gateway last recorded a plausible clock; null: never. */
  readonly heartbeatAt: number | null
  /** The last certain time before the clock was found implausible; null: it was confirmed, or never implausible. */
  readonly distrustedSince: number | null
}

export type ClockRecord = { readonly heartbeatAt: number } | { readonly distrustedSince: number }

/** Whether data may be removed or expire by age now. */
export interface ClockState {
  readonly isPlausible: boolean
  /** The problem and what to do about it; null: none. */
  readonly problem: string | null
}

/** The judged system clock. */
export interface Clock {
  /** Judged at this moment. */
  state(): ClockState
  /** An operator's statement that the clock is right. @throws PortariaError `store_unavailable` */
  confirm(): Promise<void>
}

/** The last certain time; null: none. Callbacks received under a distrusted clock do not count, also when that clock was set back since. */
export function lastCertainTime(evidence: ClockEvidence): number | null {
  const { newestCallbackAt, heartbeatAt, distrustedSince } = evidence
  if (distrustedSince !== null) return distrustedSince
  if (newestCallbackAt === null || heartbeatAt === null) return newestCallbackAt ?? heartbeatAt
  return isFarAhead(newestCallbackAt, heartbeatAt) ? heartbeatAt : Math.max(newestCallbackAt, heartbeatAt)
}

/** @param limitMs how far ahead of the last certain time is plausible */
export function isFarAhead(now: number, certain: number | null, limitMs = CLOCK_LEAD_LIMIT_MS): boolean {
  return certain !== null && now - certain > limitMs
}

export const CONFIRM_CLOCK_HINT = `set the clock; or, if so much time has really passed, confirm it with "${COMMAND} storage confirm-clock"`

export function clockProblem(now: number, certain: number): string {
  const days = Math.floor((now - certain) / 86_400_000)
  const times = `${new Date(now).toISOString()}, ${days} days after the last certain time ${new Date(certain).toISOString()}`
  return `the clock says ${times}: nothing is removed or expired by age until it is right; ${CONFIRM_CLOCK_HINT}`
}
