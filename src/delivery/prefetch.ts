/** Prefetched deliveries should begin within this time: new events queue behind them, and a crash costs each an attempt. */
const PREFETCH_MS = 250
/** Limit as a multiple of the concurrency. */
const CONCURRENCY_FACTOR_LIMIT = 32
/** Claims of 128 take the writer half of the CPU for each delivery that claims of 32 take; larger ones give little more. */
const COUNT_LIMIT = 256
/** The moving average follows about this many attempts. */
const ATTEMPTS_AVERAGED = 16

export interface Prefetch {
  /** @param durationMs of an attempt that ended */
  add(durationMs: number): void
  /** How many deliveries to keep ready: at least `concurrency`, so that sending never waits for a commit, and more where attempts are short. */
  count(concurrency: number): number
}

export function createPrefetch(): Prefetch {
  let averageMs = PREFETCH_MS
  return {
    add(durationMs) {
      averageMs += (durationMs - averageMs) / ATTEMPTS_AVERAGED
    },
    count(concurrency) {
      const times = Math.min(Math.max(PREFETCH_MS / averageMs, 1), CONCURRENCY_FACTOR_LIMIT)
      return Math.max(concurrency, Math.min(Math.floor(concurrency * times), COUNT_LIMIT))
    },
  }
}
