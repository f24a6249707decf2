/** A start: more than this ahead of everything that the database knows of time. */
export const CLOCK_LEAD_LIMIT_MS = 7 * 86_400_000
/** While the gateway runs: more than this ahead of the monotonic clock. A machine that slept for less is believed. */
export const CLOCK_JUMP_LIMIT_MS = 86_400_000

/** What the database knows of the time that has passed. */
export interface ClockEvidence {
  /** When the newest callback was received; null: there is none. */
  readonly newestCallbackAt: number | null
  /** When a gateway last recorded that its clock was plausible; null: none did. */
  readonly heartbeatAt: number | null
  /** The last certain time, where the clock was found implausible and nobody has confirmed it since; null: it is trusted. */
  readonly distrustedSince: number | null
}

export type ClockRecord = { readonly heartbeatAt: number } | { readonly distrustedSince: number }

/** Whether removal and expiry by age may go by the clock now. */
export interface ClockState {
  readonly isPlausible: boolean
  /** What is wrong and what to do; null: nothing. */
  readonly problem: string | null
}

/** The clock as those see it who go by it. */
export interface Clock {
  /** As it is now, not as it was at the last look. */
  state(): ClockState
  /** An operator says that it is right. @throws PortariaError `store_unavailable` */
  confirm(): Promise<void>
}

/** The last time that is certain; null: nothing is known. Callbacks that came under a distrusted clock prove nothing. */
export function lastCertainTime(evidence: ClockEvidence): number | null {
  const { newestCallbackAt, heartbeatAt, distrustedSince } = evidence
  if (distrustedSince !== null) return distrustedSince
  if (newestCallbackAt === null || heartbeatAt === null) return newestCallbackAt ?? heartbeatAt
  return Math.max(newestCallbackAt, heartbeatAt)
}

/** @param limitMs how far ahead of the last certain time is still believed */
export function isFarAhead(now: number, certain: number | null, limitMs = CLOCK_LEAD_LIMIT_MS): boolean {
  return certain !== null && now - certain > limitMs
}

export const CONFIRM_CLOCK_HINT =
  'set the clock; or, if so much time has really passed, confirm it with "portaria storage confirm-clock"'

export function clockProblem(now: number, certain: number): string {
  const days = Math.floor((now - certain) / 86_400_000)
  return `the clock says ${new Date(now).toISOString()}, ${days} days after the last certain time ${new Date(certain).toISOString()}: nothing is removed or expired by age until it is right; ${CONFIRM_CLOCK_HINT}`
}
