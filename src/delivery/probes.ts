/** While a circuit is open: when the next probe may go out, and which delivery it is. */
export interface Probes {
  /** Time until the next probe is allowed, in ms; 0: now. */
  waitMs(): number
  /** The time until which no probe is allowed; null: the next delivery that is due is the probe. */
  nextAt(): number | null
  /** A probe starts now. Returns whether to claim the newest untried delivery instead of the oldest due one. */
  take(): { readonly isUntriedFirst: boolean }
  /** The circuit opens: the first probe is due an interval later. */
  restart(): void
  /** The next probe is due at once. */
  soon(): void
  /** The next probe is due after `ms`, or later if it had to wait longer already. */
  delay(ms: number): void
}

/**
 * Probes alternate between the newest untried delivery and the oldest due one, so that deliveries which the destination can never take do not keep
 * the circuit open.
 */
export function createProbes(intervalMs: number, now: () => number): Probes {
  let next = 0
  /** When `next` was set. An earlier time now means that the clock was set back, so `next` is invalid. */
  let setAt = 0
  let isUntriedNext = true

  function waitMs(): number {
    return now() < setAt ? 0 : Math.max(0, next - now())
  }
  function set(ms: number): void {
    setAt = now()
    next = setAt + ms
  }

  return {
    waitMs,
    nextAt: () => (waitMs() > 0 ? next : null),
    take() {
      set(intervalMs)
      const isUntriedFirst = isUntriedNext
      isUntriedNext = !isUntriedNext
      return { isUntriedFirst }
    },
    restart: () => set(intervalMs),
    soon: () => set(0),
    delay: (ms) => set(Math.max(ms, waitMs())),
  }
}
