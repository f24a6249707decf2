/** While a circuit is open: when the next probe may go out, and which delivery it is. */
export interface Probes {
  /** How long it has to wait yet, in ms; 0: it may go now. */
  waitMs(): number
  /** One goes out now; returns whether the latest untried delivery is meant, in place of the oldest due. */
  take(): { readonly isUntriedFirst: boolean }
  /** The circuit opens: the first one goes an interval later. */
  restart(): void
  /** The next one may go at once. */
  soon(): void
  /** The next one goes after `ms`, or later where it had to wait longer already. */
  delay(ms: number): void
}

/**
 * The latest that was never tried and the oldest due take turns: it may be some deliveries that the destination cannot take and no others, and all
 * shall have their turn.
 */
export function createProbes(intervalMs: number, now: () => number): Probes {
  let next = 0
  /** When that was set. A clock that says less was set back, and what it said before means nothing. */
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
