import type { ServiceInterface } from '../domain/service/service-interfaces.ts'
import { waitFor } from './time-limit.ts'

export interface RateGateOptions {
  /** In ms, of a monotonic clock. */
  readonly now: () => number
  /** From 0 to 1, as Math.random. */
  readonly random: () => number
}

/** Where the service gives no `Retry-After`, or 0. */
const SHORTEST_HOLD_MS = 1000
/** A longer `Retry-After` counts as this one: the clock of the service may be wrong. */
const LONGEST_HOLD_MS = 3_600_000
/** The most that jitter adds, so that callers do not all go on at once. */
const JITTER_MS = 1000

/** Holds every request of an interface back for as long as the service asked one of them to wait (429). */
export function createRateGate({ now, random }: RateGateOptions) {
  const heldUntil = new Map<ServiceInterface, number>()
  const heldForMs = (on: ServiceInterface) => Math.max(0, (heldUntil.get(on) ?? 0) - now())
  return {
    heldForMs,
    hold(on: ServiceInterface, retryAfterMs: number | undefined): void {
      const holdMs = Math.min(Math.max(SHORTEST_HOLD_MS, retryAfterMs ?? 0), LONGEST_HOLD_MS)
      const until = now() + holdMs
      heldUntil.set(on, Math.max(heldUntil.get(on) ?? 0, until))
    },
    /** Waits until requests may go on. Returns false at once if that is later than `leftMs`. Rejects with the signal's reason. */
    async pass(on: ServiceInterface, leftMs: () => number, signal: AbortSignal): Promise<boolean> {
      for (let waitMs = heldForMs(on); waitMs > 0; waitMs = heldForMs(on)) {
        if (waitMs >= leftMs()) return false
        await waitFor(waitMs + random() * Math.min(JITTER_MS, waitMs / 4), signal)
      }
      return true
    },
  }
}
export type RateGate = ReturnType<typeof createRateGate>
