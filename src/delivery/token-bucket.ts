/** A steady rate per second. After a rest, the tokens of one second may be taken at once. */
export interface TokenBucket {
  /** How many tokens there are now. */
  available(): number
  take(count: number): void
  /** When the next token is available, in ms since 1970. */
  nextAt(): number
}

/** @param perSecond null: no bound */
export function createTokenBucket(perSecond: number | null, now: () => number): TokenBucket {
  if (perSecond === null) return { available: () => Number.POSITIVE_INFINITY, take: () => undefined, nextAt: now }
  const rate = perSecond
  /** In thousandths of a token, of which each ms adds `rate`: whole numbers, so that a token is really there at `nextAt`. */
  const capacity = Math.max(1, rate) * 1000
  let tokens = 1000
  let filledAt = now()

  function fill(): void {
    const at = now()
    // A clock that was set back adds and removes no tokens.
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
