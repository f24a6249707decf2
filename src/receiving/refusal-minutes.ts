import type { NewRefusal, RefusingListener } from '../domain/refusal.ts'
import { guarded } from '../platform/background.ts'
import type { Log } from '../platform/log.ts'
import { lineOf, newRefusal } from './new-refusal.ts'

const MINUTE_MS = 60_000

/** Refusals of one listener in one minute. */
export interface Minute {
  readonly number: number
  readonly listener: RefusingListener
  readonly byAddress: Map<string, number>
  recorded: number
  leftOut: number
  /** The address of all left out refusals, if it is the same. */
  leftOutAddress: string | null
  timer?: NodeJS.Timeout
}

/** Counts what is left out, and sums it up at the end of each minute. @param keep takes the sum */
export function createMinutes({
  log,
  now,
  keep,
}: {
  readonly log: Log
  readonly now: () => number
  readonly keep: (refusal: NewRefusal) => void
}) {
  const minutes = new Map<string, Minute>()
  const endMinuteInTime = guarded(log, 'counting refusals', (minute: Minute) => endMinute(minute))

  function currentMinute(listener: RefusingListener, isIdentified = false): Minute {
    const number = Math.floor(now() / MINUTE_MS)
    const key = `${listener} ${isIdentified}`
    const known = minutes.get(key)
    if (known?.number === number) return known
    const minute: Minute = { number, listener, byAddress: new Map(), recorded: 0, leftOut: 0, leftOutAddress: null }
    minutes.set(key, minute)
    if (known !== undefined) endMinute(known)
    return minute
  }

  function leaveOut(minute: Minute, address: string, count: number): void {
    minute.leftOutAddress = minute.leftOut === 0 || minute.leftOutAddress === address ? address : null
    minute.leftOut += count
    minute.timer ??= setTimeout(endMinuteInTime, MINUTE_MS, minute).unref()
  }

  /** One log line and one row for all left out refusals. */
  function endMinute(minute: Minute): void {
    clearTimeout(minute.timer)
    delete minute.timer
    const { leftOut: count, listener } = minute
    if (count === 0) return
    minute.leftOut = 0
    const remoteAddress = minute.leftOutAddress ?? 'several addresses'
    const reason = `and ${count} more within a minute, not recorded one by one`
    const refusal = { ...newRefusal({ code: 'left_out', reason, remoteAddress }, listener, now()), count }
    log.warn({ ...lineOf(refusal), leftOut: count }, 'callers.refused')
    keep(refusal)
  }

  return {
    currentMinute,
    leaveOut,
    /** Sums up all minutes now. */
    endAll(): void {
      for (const minute of minutes.values()) endMinute(minute)
    },
    stop(): void {
      for (const minute of minutes.values()) clearTimeout(minute.timer)
    },
  }
}
