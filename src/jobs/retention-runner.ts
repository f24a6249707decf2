import { setTimeout as sleep } from 'node:timers/promises'
import { type Pruning, type RemovalCount, type RemovalProgress, type Retention, windowOf } from '../domain/retention.ts'
import { guarded } from '../platform/background.ts'
import { messageOf } from '../platform/errors.ts'
import {
  createPass,
  eventsOf,
  type MutableProgress,
  type Pace,
  type RemovalReader,
  type RetentionRunnerOptions,
  rangesOf,
} from './retention-pass.ts'

const REAL_PACE: Pace = {
  elapsed: () => performance.now(),
  rest: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
}

/** Removes old events in small steps that leave the writer to others. */
export interface RetentionRunner extends Pruning {
  /** The runs of the search index up to this position are being emptied by the removal under way; 0: none. */
  splitThrough(): number
  /** Runs every 10 minutes from now on. Called again, it runs now. */
  start(): void
  /** After the step under way. The next start continues with the rest. */
  stop(): Promise<void>
}

const INTERVAL_MS = 10 * 60_000
const NOTHING: RemovalCount = { payloads: 0, bytes: 0, events: 0, callbacks: 0, kept: 0 }

export function createRetentionRunner(options: RetentionRunnerOptions): RetentionRunner {
  const { store, retention, now, clockProblem = () => null, isMine = () => true, log, pace = REAL_PACE } = options
  const stopping = new AbortController()
  const pass = createPass({ ...options, clockProblem, pace }, stopping.signal)
  /** Of the pass under way, or the last one: `begin` sets it. */
  let latest: RemovalProgress | null = null
  /** From `begin` to the end of the pass. */
  let running: Promise<void> | null = null
  /** `prune` during a pass asks for another one. */
  let isWantedAgain = false
  /** From `start` to `stop`. */
  let timer: NodeJS.Timeout | undefined

  async function tryPass(progress: MutableProgress, isAllowed: () => boolean): Promise<void> {
    const startedAt = performance.now()
    try {
      await pass.run(progress, isAllowed)
      progress.state = stopping.signal.aborted || !isAllowed() ? 'stopped' : 'done'
    } catch (error) {
      progress.state = 'failed'
      progress.problem = messageOf(error)
      log.warn({ error: progress.problem }, 'retention.delayed')
    }
    const { payloads, events, kept } = progress
    const durationMs = Math.round(performance.now() - startedAt)
    if (payloads + events > 0) log.info({ payloads, events, kept, durationMs }, 'retention.removed')
  }

  /** @param isAllowed ends it: an operator's own pass runs in the process that was asked */
  function begin(isAllowed = () => true): RemovalProgress {
    const progress: MutableProgress = { state: 'running', ...NOTHING, problem: null }
    latest = progress
    running = tryPass(progress, isAllowed).finally(() => {
      running = null
      if (!isWantedAgain || stopping.signal.aborted) return
      isWantedAgain = false
      begin()
    })
    return progress
  }

  return {
    start() {
      if (stopping.signal.aborted) return
      // The clock guard has logged an implausible clock.
      const beginIfIdle = () => void (running === null && isMine() && clockProblem() === null && begin(isMine))
      beginIfIdle()
      clearInterval(timer)
      timer = setInterval(guarded(log, 'removing old events', beginIfIdle), INTERVAL_MS)
    },
    prune() {
      if (latest === null || running === null) return begin()
      // The pass under way may have gone past something, so another pass follows.
      isWantedAgain = true
      return latest
    },
    progress: () => latest,
    splitThrough: () => (running === null ? 0 : pass.splitThrough()),
    count: () => countRemovable(store, retention, now()),
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await running
    },
  }
}

/** What retention would remove at this time. Creates and changes nothing. */
export async function countRemovable(store: RemovalReader, retention: Retention, now: number): Promise<RemovalCount> {
  const counted = { ...NOTHING }
  for (const kind of await store.listStoredKinds()) {
    const { payloadMs, metadataMs } = windowOf(retention, kind)
    for await (const { callbacks, bytes, kept } of rangesOf(store, {
      part: 'payload',
      kind,
      before: now - payloadMs,
    })) {
      counted.payloads += eventsOf(callbacks)
      counted.bytes += bytes
      counted.kept += kept
    }
    // Events that are removed completely either have their payload still or have none any more.
    for (const part of ['payload', 'metadata'] as const) {
      for await (const { callbacks } of rangesOf(store, { part, kind, before: now - metadataMs })) {
        counted.events += eventsOf(callbacks)
        counted.callbacks += callbacks.length
      }
    }
  }
  return counted
}
