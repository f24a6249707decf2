/** Slows down callers that fail repeatedly. In memory and bounded: the keys that failed longest ago are dropped first. */
export interface LoginThrottle {
  /** Seconds to wait before the next attempt; 0: none. */
  waitOf(key: string): number
  failed(key: string): void
}

interface Failures {
  readonly count: number
  readonly blockedUntil: number
  readonly forgottenAt: number
}

/** Failures without a delay, for typing errors and outdated secrets. */
const FREE = 5
const LONGEST_WAIT_MS = 60_000
const FORGET_MS = 15 * 60_000
const KEYS = 10_000

/** The fifth failure of a key starts a wait of 1 s, and each further one doubles it, up to a minute. Failures expire after 15 minutes. */
export function createLoginThrottle(now: () => number, maxKeys = KEYS): LoginThrottle {
  const failures = new Map<string, Failures>()

  function find(key: string): Failures | null {
    const found = failures.get(key)
    return found === undefined || now() >= found.forgottenAt ? null : found
  }

  return {
    waitOf: (key) => Math.max(0, Math.ceil(((find(key)?.blockedUntil ?? 0) - now()) / 1000)),
    failed(key) {
      const count = (find(key)?.count ?? 0) + 1
      const wait = count < FREE ? 0 : Math.min(LONGEST_WAIT_MS, 1000 * 2 ** (count - FREE))
      // Deleted first, so that the map stays in the order of the latest failures.
      failures.delete(key)
      failures.set(key, { count, blockedUntil: now() + wait, forgottenAt: now() + FORGET_MS })
      if (failures.size > maxKeys) for (const oldest of failures.keys()) return void failures.delete(oldest)
    },
  }
}
