import { guarded } from '../../platform/background.ts'
import type { Log } from '../../platform/log.ts'
import { oneBehind } from '../../platform/turns.ts'

export interface RepeatedReadingOptions {
  readonly read: () => Promise<void>
  /** In the log. */
  readonly task: string
  readonly log: Log
  /** Ends it: nothing more is read. */
  readonly signal: AbortSignal
}

/** Reads again after a change. The change is in the database, so a failed reading is repeated until one succeeds. */
export interface RepeatedReading {
  /** Rejects if this reading fails. */
  read(): Promise<void>
  /** Reads without a promise: a failure is logged. */
  readSoon(): void
  /** Resolves after the reading under way. */
  ended(): Promise<void>
}

const AGAIN_MS = 1000

export function createRepeatedReading({ read, task, log, signal }: RepeatedReadingOptions): RepeatedReading {
  /** The latest reading: only `readAfterOthers` changes it. */
  let reading: Promise<void> = Promise.resolve()
  let again: NodeJS.Timeout | undefined
  const readSoon = guarded(log, task, readAfterOthers)
  // One after the other: with two overlapping readings an older state could replace a newer one.
  const readNext = oneBehind(async () => {
    if (!signal.aborted) await read()
  })

  function readAfterOthers(): Promise<void> {
    reading = readNext()
    // Waiting for the next change would not do.
    reading.catch(() => {
      clearTimeout(again)
      if (!signal.aborted) again = setTimeout(readSoon, AGAIN_MS)
    })
    return reading
  }

  signal.addEventListener('abort', () => clearTimeout(again))
  return { read: readAfterOthers, readSoon, ended: () => reading.catch(() => undefined) }
}
