export interface WorkerStats {
  /** Number of the last attempts since the gateway started, at most 1,000. */
  readonly attempts: number
  readonly successRate: number | null
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly p99Ms: number | null
}

const KEPT = 1000

/** Statistics of the last attempts of a destination. */
export function createAttemptWindow(): {
  add(attempt: { durationMs: number; isSuccess: boolean }): void
  stats(): WorkerStats
} {
  const attempts: { durationMs: number; isSuccess: boolean }[] = []
  let next = 0
  return {
    add(attempt) {
      attempts[next] = attempt
      next = (next + 1) % KEPT
    },
    stats() {
      const sorted = attempts.map(({ durationMs }) => durationMs).sort((a, b) => a - b)
      const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null
      const successes = attempts.filter(({ isSuccess }) => isSuccess).length
      return {
        attempts: attempts.length,
        successRate: attempts.length === 0 ? null : Math.round((successes / attempts.length) * 1000) / 1000,
        p50Ms: at(0.5),
        p95Ms: at(0.95),
        p99Ms: at(0.99),
      }
    },
  }
}
