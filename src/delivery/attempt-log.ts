import type { AttemptOutcome, ClaimedDelivery } from '../domain/delivery.ts'
import type { Destination } from '../domain/destination.ts'
import { guarded } from '../platform/background.ts'
import { createLineLimit } from '../platform/line-limit.ts'
import type { Log } from '../platform/log.ts'
import { lineOf } from './outcome.ts'

/** How long successes beyond the line limit are summed up. */
const SUMMED_MS = 1000

export interface AttemptLog {
  attempted(delivery: ClaimedDelivery, destination: Destination, outcome: AttemptOutcome): void
  /** Logs the sum at once. */
  flush(): void
}

/** Logs a line for each attempt. Successes of a destination beyond 100 in a second share one line. */
export function createAttemptLog(log: Log, now: () => number): AttemptLog {
  const mayHaveLine = createLineLimit(now)
  let sum: { destination: string; deliveries: number; slowestMs: number } | undefined
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    clearTimeout(timer)
    if (sum !== undefined) log.info(sum, 'deliveries.attempted')
    sum = undefined
  }

  const flushInTime = guarded(log, 'logging attempts', flush)

  function succeeded(delivery: ClaimedDelivery, destination: Destination, outcome: AttemptOutcome): void {
    if (mayHaveLine()) return log.info(lineOf(delivery, destination, outcome), 'delivery.attempted')
    if (sum === undefined) {
      sum = { destination: destination.name, deliveries: 0, slowestMs: 0 }
      timer = setTimeout(flushInTime, SUMMED_MS)
    }
    sum.deliveries++
    sum.slowestMs = Math.max(sum.slowestMs, outcome.durationMs)
  }

  return {
    attempted(delivery, destination, outcome) {
      const { error, result } = outcome
      if (error === null) return succeeded(delivery, destination, outcome)
      const line = lineOf(delivery, destination, outcome)
      if (result.state !== 'exhausted') return log.warn(line, 'delivery.attempted')
      const holdsItsSubject = delivery.hasOrderKey && destination.onExhausted === 'hold'
      log.error({ ...line, reason: result.reason, ...(holdsItsSubject && { holdsItsSubject }) }, 'delivery.exhausted')
    },
    flush,
  }
}
