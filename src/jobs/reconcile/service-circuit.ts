/** Failures in a row after which the service counts as away. */
const FAILURES = 5
const PROBE_EVERY_MS = 15_000
/** Questions at the same time while the service answers. */
const SLOTS = 4
/** The service may ask for a longer wait; it gets this one. */
const LONGEST_ASKED_MS = 3_600_000

/** Holds the questions of one environment back while the service is away. */
export interface ServiceCircuit {
  /** How long no question may begin, in ms; 0: one may. */
  waitMs(): number
  /** How many may be under way: one while the latest answer was a failure. */
  slots(): number
  isAway(): boolean
  /** @param retryAfterMs as QuestionFailure has it */
  failed(retryAfterMs: number | null): void
  succeeded(): void
}

/** @param now monotonic, in ms */
export function createServiceCircuit(now: () => number): ServiceCircuit {
  let failures = 0
  let until = 0
  return {
    waitMs: () => Math.max(0, until - now()),
    slots: () => (failures > 0 ? 1 : SLOTS),
    isAway: () => failures >= FAILURES,
    failed(retryAfterMs) {
      failures++
      const asked = Math.min(retryAfterMs ?? 0, LONGEST_ASKED_MS)
      until = now() + Math.max(asked, failures >= FAILURES ? PROBE_EVERY_MS : 0)
    },
    succeeded() {
      failures = 0
      until = 0
    },
  }
}
