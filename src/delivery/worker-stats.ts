export interface WorkerStats {
  /** Number of the last attempts since the gateway started, at most 1,000. */
  readonly attempts: number
  readonly successRate: number | null
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly p99Ms: number | null
}

const KEPT = 1000

/** Since the gateway started. */
export interface WorkerTotals {
  readonly delivered: number
  readonly failed: number
  readonly exhausted: number
}

/** Counts the attempts of a destination, and keeps the last ones. */
export interface AttemptCounts {
  attempted(durationMs: number, isSuccess: boolean): void
  /** Deliveries that ended. */
  exhausted(count: number): void
  stats(): WorkerStats
  totals(): WorkerTotals
}

export function createAttemptCounts(): AttemptCounts {
  const totals = { delivered: 0, failed: 0, exhausted: 0 }
  const durations: number[] = []
  const results: boolean[] = []
  let next = 0
  return {
    attempted(durationMs, isSuccess) {
      if (isSuccess) totals.delivered++
      else totals.failed++
      durations[next] = durationMs
      results[next] = isSuccess
      next = (next + 1) % KEPT
    },
    exhausted(count) {
      totals.exhausted += count
    },
    totals: () => totals,
    stats() {
      const sorted = durations.toSorted((a, b) => a - b)
      const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null
      const successes = results.filter((isSuccess) => isSuccess).length
      return {
        attempts: sorted.length,
        successRate: sorted.length === 0 ? null : Math.round((successes / sorted.length) * 1000) / 1000,
        p50Ms: at(0.5),
        p95Ms: at(0.95),
        p99Ms: at(0.99),
      }
    },
  }
}
