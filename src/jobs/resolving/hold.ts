const FIRST_MS = 1_000
const LONGEST_MS = 5 * 60_000
/** The service may ask for a longer wait; it gets this one. */
const LONGEST_ASKED_MS = 3_600_000
const JITTER = 0.2

/** Holds queries of one environment back after a failure that concerns all of them, and lets a single one try again. */
export interface Hold {
  /** How long no query may begin, in ms; 0: one may. */
  remainingMs(): number
  /** How many queries may be under way: one while the latest answer was a failure. */
  slots(): number
  /** For `failed`: the hold in which a query begins. */
  current(): number
  /**
   * A failure of a query that began in the hold `begunIn`. Queries that were under way together extend the wait once.
   * @param askedMs the wait that the service asks for; null: none
   */
  failed(begunIn: number, askedMs: number | null): void
  /** @returns whether this ends a hold */
  succeeded(): boolean
}

export function createHold(slots: number, { now, random }: { now: () => number; random: () => number }): Hold {
  let failures = 0
  let number = 0
  let from = 0
  let until = 0
  return {
    remainingMs() {
      const at = now()
      // After the clock was set back, a time in the future would hold too long.
      return at < from ? 0 : Math.max(0, until - at)
    },
    slots: () => (failures > 0 ? 1 : slots),
    current: () => number,
    failed(begunIn, askedMs) {
      const at = now()
      const asked = Math.min(askedMs ?? 0, LONGEST_ASKED_MS)
      if (begunIn !== number) {
        until = Math.max(until, at + asked)
        return
      }
      const wait = Math.min(FIRST_MS * 2 ** failures, LONGEST_MS) * (1 + JITTER * (random() * 2 - 1))
      failures = Math.min(failures + 1, 20)
      number++
      from = at
      until = at + Math.round(Math.max(wait, asked))
    },
    succeeded() {
      const wasHeld = failures > 0
      failures = 0
      until = 0
      return wasHeld
    },
  }
}
