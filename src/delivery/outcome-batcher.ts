import { setTimeout as wait } from 'node:timers/promises'
import type { AttemptOutcome } from '../domain/delivery.ts'
import type { Store } from '../domain/store.ts'
import { guarded } from '../platform/background.ts'
import { messageOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'

export interface OutcomeBatcher {
  /** Calls back when the outcome is on disk. `isUrgent`: another delivery waits for this outcome. */
  record(outcome: AttemptOutcome, onRecorded: () => void, isUrgent?: boolean): void
  /** Resolves when everything recorded so far is on disk, or when `signal` ends the wait. */
  flushed(signal: AbortSignal): Promise<void>
}

const RETRY_WAIT_MS = 500
/** How long an outcome waits for others, because a commit for each would delay callbacks. */
const GATHER_MS = 10
const BATCH = 500

/** Writes outcomes in batches, one at a time. While the disk fails, outcomes wait in memory and their deliveries stay claimed. */
export function createOutcomeBatcher(store: Pick<Store, 'recordAttempts'>, log: Log): OutcomeBatcher {
  let waiting: { outcome: AttemptOutcome; onRecorded: () => void; isUrgent: boolean }[] = []
  let isWriting = false
  /** How many outcomes are on disk. */
  let written = 0
  /** Of `flushed`: how many must be on disk. */
  let flushing: { readonly upTo: number; readonly resolve: () => void }[] = []

  function wrote(count: number): void {
    written += count
    for (const { upTo, resolve } of flushing) if (upTo <= written) resolve()
    flushing = flushing.filter(({ upTo }) => upTo > written)
  }

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      if (!waiting.some(({ isUrgent }) => isUrgent)) await wait(GATHER_MS)
      const batch = waiting.slice(0, BATCH)
      try {
        await store.recordAttempts(batch.map(({ outcome }) => outcome))
        waiting = waiting.slice(batch.length)
        wrote(batch.length)
        for (const { onRecorded } of batch) onRecorded()
      } catch (error) {
        log.error({ outcomes: waiting.length, error: messageOf(error) }, 'delivery.not_recorded')
        await wait(RETRY_WAIT_MS, undefined, { ref: false })
      }
    }
    isWriting = false
  }

  const beginWriting = guarded(log, 'recording attempts', write)

  return {
    record(outcome, onRecorded, isUrgent = false) {
      waiting.push({ outcome, onRecorded, isUrgent })
      if (isWriting) return
      isWriting = true
      beginWriting()
    },
    async flushed(signal) {
      const aborted = new Promise<void>((resolve) => {
        if (signal.aborted) resolve()
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
      const done = new Promise<void>((resolve) => {
        if (waiting.length === 0) resolve()
        else flushing.push({ upTo: written + waiting.length, resolve })
      })
      await Promise.race([done, aborted])
    },
  }
}
