/** Adds what was counted since the last time to the sums of the hours, each minute and at the end: callbacks are counted in memory, and wait for nothing. */

import { HOUR_MS, type HourSum, type HourSumWrites, type RunningCounts } from '../domain/overview/hour-sums.ts'
import { guarded } from '../platform/background.ts'
import type { Log } from '../platform/log.ts'
import { oneBehind } from '../platform/turns.ts'

export interface HourSumsOptions {
  readonly store: HourSumWrites
  /** Since the gateway started. Counts that are lower than before began again. */
  readonly counts: () => readonly RunningCounts[]
  readonly now: () => number
  readonly log: Log
  /** Default a minute. */
  readonly intervalMs?: number
}

export interface HourSums {
  /** Adds what was counted until now. @throws what the store does */
  flush(): Promise<void>
  /** Adds the last ones. Never rejects: where the store is lost, so are they. */
  stop(): Promise<void>
}

const INTERVAL_MS = 60_000

export function startHourSums({ store, counts, now, log, intervalMs = INTERVAL_MS }: HourSumsOptions): HourSums {
  let known: ReadonlyMap<string, RunningCounts> = new Map()

  const flush = oneBehind(async () => {
    const current = counts()
    // What ended in the minute before the full hour belongs to the earlier one.
    const hour = Math.floor((now() - intervalMs / 2) / HOUR_MS) * HOUR_MS
    const sums = current
      .map((one): HourSum => ({ ...one, ...addedSince(known.get(keyOf(one)), one), hour }))
      .filter(({ succeeded, failed }) => succeeded + failed > 0)
    if (sums.length > 0) await store.addHourSums(sums)
    // After the commit: what could not be added is added with the next ones.
    known = new Map(current.map((one) => [keyOf(one), one]))
  })

  const timer = setInterval(guarded(log, 'adding to the sums of the hour', flush), intervalMs).unref()
  return {
    flush,
    async stop() {
      clearInterval(timer)
      await flush().catch(() => undefined)
    },
  }
}

function keyOf({ environment, kind, destinationId }: RunningCounts): string {
  return `${environment} ${kind} ${destinationId}`
}

function addedSince(before: RunningCounts | undefined, { succeeded, failed }: RunningCounts) {
  if (before === undefined || succeeded < before.succeeded || failed < before.failed) return { succeeded, failed }
  return { succeeded: succeeded - before.succeeded, failed: failed - before.failed }
}
