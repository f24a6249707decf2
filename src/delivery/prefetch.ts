/** What is claimed beforehand should be begun within this time: new events come behind it, and a crash counts an attempt of each. */
const AHEAD_MS = 250
/** Times the concurrency. */
const AHEAD_LIMIT = 8
/** Each is held in memory with its body. */
const COUNT_LIMIT = 128
/** How slowly the average moves. */
const ATTEMPTS_AVERAGED = 16

export interface Prefetch {
  /** @param durationMs of an attempt that ended */
  add(durationMs: number): void
  /** How many to keep ready: as many as can be sent at once, so that no sender waits for a commit, and more where they are soon sent. */
  count(concurrency: number): number
}

export function createPrefetch(): Prefetch {
  let averageMs = AHEAD_MS
  return {
    add(durationMs) {
      averageMs += (durationMs - averageMs) / ATTEMPTS_AVERAGED
    },
    count(concurrency) {
      const times = Math.min(Math.max(AHEAD_MS / averageMs, 1), AHEAD_LIMIT)
      return Math.max(concurrency, Math.min(Math.floor(concurrency * times), COUNT_LIMIT))
    },
  }
}
