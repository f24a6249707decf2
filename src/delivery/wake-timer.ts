import { guarded } from '../platform/background.ts'
import type { Log } from '../platform/log.ts'

/**
 * One timer for many wake-ups: the earliest replaces a later one. A wake-up may come too early, at most `MAX_TIMER_MS` after it was set.
 * Wake-ups are compared by the time that is left, because the clock may have been set since one of them was wanted.
 */
export interface WakeTimer {
  /** @param at in ms since the epoch */
  wakeAt(at: number): void
  /** For good. */
  stop(): void
}

const MAX_TIMER_MS = 60_000

export interface WakeTimerOptions {
  /** What it throws is logged as a failure of `task`. */
  readonly onWake: () => void
  readonly task: string
  readonly now: () => number
  readonly log: Log
}

export function createWakeTimer({ onWake, task, now, log }: WakeTimerOptions): WakeTimer {
  /** `due` as performance.now(). */
  let next: { readonly due: number; readonly timeout: NodeJS.Timeout } | undefined
  let isStopped = false

  const wake = guarded(log, task, () => {
    next = undefined
    onWake()
  })

  return {
    wakeAt(at) {
      const waitMs = Math.min(Math.max(at - now(), 0), MAX_TIMER_MS)
      const due = performance.now() + waitMs
      if (isStopped || (next !== undefined && next.due <= due)) return
      clearTimeout(next?.timeout)
      next = { due, timeout: setTimeout(wake, waitMs) }
    },
    stop() {
      isStopped = true
      clearTimeout(next?.timeout)
    },
  }
}
