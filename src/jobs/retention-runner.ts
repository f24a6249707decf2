import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AgePlace,
  longestMetadataMs,
  type Pruning,
  type Removable,
  type RemovableCallback,
  type RemovalCount,
  type RemovalProgress,
  type RemovalSearch,
  type Retention,
  windowOf,
} from '../domain/retention.ts'
import type { Store } from '../domain/store.ts'
import type { StoreReader } from '../domain/store-reader.ts'
import { guarded } from '../platform/background.ts'
import { messageOf, PortariaError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'

export interface RetentionRunnerOptions {
  readonly store: Pick<
    Store,
    | 'listStoredKinds'
    | 'findRemovable'
    | 'announceRemoval'
    | 'removeAged'
    | 'removeActions'
    | 'prepareSearchSplit'
    | 'applySearchChange'
  >
  readonly retention: Retention
  /** These destinations have deliveries that became due. */
  readonly wake: (destinationIds: readonly number[]) => void
  readonly now: () => number
  /** Why nothing may be removed by age now; null: removal is allowed. */
  readonly clockProblem?: () => string | null
  readonly log: Log
  readonly pace?: Pace
}

/** How the runner leaves time of the writer to others. */
export interface Pace {
  /** A clock in ms that is never set. */
  readonly elapsed: () => number
  /** Ends early at the signal, and never fails. */
  readonly rest: (ms: number, signal: AbortSignal) => Promise<void>
}

const REAL_PACE: Pace = {
  elapsed: () => performance.now(),
  rest: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
}

/** Removes old events in small steps that leave the writer to others. */
export interface RetentionRunner extends Pruning {
  /** The runs of the search index up to this position are being emptied by the removal under way; 0: none. */
  splitThrough(): number
  /** Runs every 10 minutes from now on. */
  start(): void
  /** After the step under way. The next start continues with the rest. */
  stop(): Promise<void>
}

const INTERVAL_MS = 10 * 60_000
/** Callbacks that are found and announced together: at least as many as a page of polling has events. */
const RANGE = 1000
/** Events in one transaction, during which nothing else is written. */
const LARGEST_STEP = 100
const SMALLEST_STEP = 5
/** Target duration of a step. */
const STEP_MS = 3
/** The share of time for removal; larger while removal is more than a day behind. */
const SHARE = 0.2
const SHARE_BEHIND = 0.5
const BEHIND_MS = 86_400_000

const NOTHING: RemovalCount = { payloads: 0, bytes: 0, events: 0, callbacks: 0, kept: 0 }

export function createRetentionRunner(options: RetentionRunnerOptions): RetentionRunner {
  const { store, retention, wake, now, clockProblem = () => null, log, pace = REAL_PACE } = options
  const stopping = new AbortController()
  let latest: RemovalProgress | null = null
  let running: Promise<void> | null = null
  let isWantedAgain = false
  let timer: NodeJS.Timeout | undefined
  let stepSize = LARGEST_STEP / 4
  let splitThrough = 0

  function checkClock(): void {
    const problem = clockProblem()
    if (problem !== null) throw new PortariaError('conflict', problem)
  }

  async function runPass(progress: MutableProgress): Promise<void> {
    for (const kind of await store.listStoredKinds()) {
      const { payloadMs, metadataMs } = windowOf(retention, kind)
      checkClock()
      await removePart({ part: 'payload', kind, before: now() - payloadMs }, progress)
      await removePart({ part: 'metadata', kind, before: now() - metadataMs }, progress)
    }
    checkClock()
    await removeActions(now() - longestMetadataMs(retention))
  }

  /** The log of actions stays as long as any event that it may be about. */
  async function removeActions(before: number): Promise<void> {
    let sum = 0
    while (!stopping.signal.aborted) {
      const startedAt = pace.elapsed()
      const removed = await store.removeActions(before, LARGEST_STEP)
      sum += removed
      if (removed < LARGEST_STEP) break
      await pace.rest(((pace.elapsed() - startedAt) * (1 - SHARE)) / SHARE, stopping.signal)
    }
    if (sum > 0) log.info({ actions: sum }, 'retention.actions_removed')
  }

  async function removePart(search: Omit<RemovalSearch, 'after'>, progress: MutableProgress): Promise<void> {
    for await (const { callbacks, kept, reach, next } of rangesOf(store, search, stopping.signal)) {
      progress.kept += kept
      if (reach.length > 0) await store.announceRemoval(reach, now())
      await splitSearchRuns(callbacks)
      const isBehind = next !== null && next.receivedAt < search.before - BEHIND_MS
      await removeRange(search, callbacks, { progress, share: isBehind ? SHARE_BEHIND : SHARE })
    }
  }

  /** Removing a few events from a large run of the search index would write all of it each time. */
  async function splitSearchRuns(callbacks: readonly RemovableCallback[]): Promise<void> {
    const ids = callbacks.map(({ callbackId }) => callbackId)
    try {
      while (!stopping.signal.aborted) {
        const change = await store.prepareSearchSplit(ids)
        if (change === null) return
        await store.applySearchChange(change)
        splitThrough = Math.max(splitThrough, ...change.runs.map(({ last }) => last))
      }
    } catch {
      // It only saves time, and a full disk refuses it. The removal works without it, or fails for the same reason.
    }
  }

  async function removeRange(
    search: Pick<RemovalSearch, 'part' | 'before'>,
    callbacks: readonly RemovableCallback[],
    { progress, share }: { progress: MutableProgress; share: number },
  ): Promise<void> {
    for (let from = 0; from < callbacks.length && !stopping.signal.aborted; ) {
      const step = stepFrom(callbacks, from, stepSize)
      from += step.length
      const { part, before } = search
      const startedAt = pace.elapsed()
      const { tookMs, ...removed } = await store.removeAged({ part, before, callbackIds: step }, now())
      // The rest of the elapsed time is the commit and the queue of the writer.
      const busyMs = Math.min(pace.elapsed() - startedAt, 2 * tookMs)
      progress.bytes += removed.bytes
      if (part === 'payload') progress.payloads += removed.events
      else {
        progress.events += removed.events
        progress.callbacks += removed.callbacks
      }
      wake(removed.destinationIds)
      stepSize = tookMs > STEP_MS ? Math.max(SMALLEST_STEP, stepSize / 2) : Math.min(LARGEST_STEP, stepSize * 1.25)
      await pace.rest((busyMs * (1 - share)) / share, stopping.signal)
    }
  }

  async function tryPass(progress: MutableProgress): Promise<void> {
    const startedAt = performance.now()
    try {
      await runPass(progress)
      progress.state = stopping.signal.aborted ? 'stopped' : 'done'
    } catch (error) {
      progress.state = 'failed'
      progress.problem = messageOf(error)
      log.warn({ error: progress.problem }, 'retention.delayed')
    }
    const { payloads, events, kept } = progress
    const durationMs = Math.round(performance.now() - startedAt)
    if (payloads + events > 0) log.info({ payloads, events, kept, durationMs }, 'retention.removed')
  }

  function begin(): RemovalProgress {
    const progress: MutableProgress = { state: 'running', ...NOTHING, problem: null }
    latest = progress
    splitThrough = 0
    running = tryPass(progress).finally(() => {
      running = null
      if (!isWantedAgain || stopping.signal.aborted) return
      isWantedAgain = false
      begin()
    })
    return progress
  }

  return {
    start() {
      // The clock guard has logged an implausible clock.
      const beginIfIdle = () => void (running === null && clockProblem() === null && begin())
      beginIfIdle()
      timer = setInterval(guarded(log, 'removing old events', beginIfIdle), INTERVAL_MS)
    },
    prune() {
      if (latest === null || running === null) return begin()
      // The pass under way may have gone past something, so another pass follows.
      isWantedAgain = true
      return latest
    },
    progress: () => latest,
    splitThrough: () => (running === null ? 0 : splitThrough),
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

type RemovalReader = Pick<StoreReader, 'listStoredKinds' | 'findRemovable'>

/** Until there is no more, or the signal. */
async function* rangesOf(store: RemovalReader, search: Omit<RemovalSearch, 'after'>, signal?: AbortSignal) {
  for (let after: AgePlace | null | undefined; after !== null && signal?.aborted !== true; ) {
    const found: Removable = await store.findRemovable({ ...search, after: after ?? null }, RANGE)
    yield found
    after = found.next
  }
}

function eventsOf(callbacks: readonly RemovableCallback[]): number {
  return callbacks.reduce((sum, { events }) => sum + events, 0)
}

type MutableProgress = { -readonly [Name in keyof RemovalProgress]: RemovalProgress[Name] }

/** The next callbacks with at most this many events together, but at least one callback. */
function stepFrom(callbacks: readonly RemovableCallback[], from: number, events: number): number[] {
  const step: number[] = []
  let sum = 0
  for (let at = from; at < callbacks.length; at++) {
    const callback = callbacks[at] as RemovableCallback
    sum += Math.max(1, callback.events)
    if (step.length > 0 && sum > events) break
    step.push(callback.callbackId)
  }
  return step
}
