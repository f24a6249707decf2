/** At most so many a second, evenly; a second's worth may go at once after a rest. */
export interface TokenBucket {
  /** How many may go now. */
  available(): number
  take(count: number): void
  /** When the next one may go, in ms since the epoch. */
  nextAt(): number
}

/** @param perSecond null: no bound */
export function createTokenBucket(perSecond: number | null, now: () => number): TokenBucket {
  if (perSecond === null) return { available: () => Number.POSITIVE_INFINITY, take: () => undefined, nextAt: now }
  const rate = perSecond
  /** In thousandths, of which each ms gives `rate`: whole numbers, so that what is there when it was said to be is not a hair's breadth less. */
  const capacity = Math.max(1, rate) * 1000
  let tokens = 1000
  let filledAt = now()

  function fill(): void {
    const at = now()
    // A clock that was set back gives nothing and takes nothing.
    tokens = Math.min(capacity, tokens + Math.max(0, at - filledAt) * rate)
    filledAt = at
  }

  return {
    available() {
      fill()
      return Math.floor(tokens / 1000)
    },
    take(count) {
      tokens -= count * 1000
    },
    nextAt() {
      fill()
      return now() + Math.ceil(Math.max(0, 1000 - tokens) / rate)
    },
  }
}
