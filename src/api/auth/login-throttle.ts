/** Slows down whoever fails again and again. In memory, bounded: the keys that failed longest ago are forgotten. */
export interface LoginThrottle {
  /** How long to wait until the next try, in s; 0: not at all. */
  waitOf(key: string): number
  failed(key: string): void
  succeeded(key: string): void
}

interface Failures {
  readonly count: number
  readonly blockedUntil: number
  readonly forgottenAt: number
}

/** So many cost nothing: a typing error, an old secret somewhere. */
const FREE = 5
const LONGEST_WAIT_MS = 60_000
const FORGET_MS = 15 * 60_000
const KEYS = 10_000

/** Behind five failures every further one makes the next try wait twice as long, from 1 s to a minute. A quarter of an hour later all is forgotten. */
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
      // Behind the others again: who failed longest ago makes room.
      failures.delete(key)
      failures.set(key, { count, blockedUntil: now() + wait, forgottenAt: now() + FORGET_MS })
      if (failures.size > maxKeys) for (const oldest of failures.keys()) return void failures.delete(oldest)
    },
    succeeded: (key) => void failures.delete(key),
  }
}
