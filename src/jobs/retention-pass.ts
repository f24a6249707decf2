import {
  type AgePlace,
  longestMetadataMs,
  type Removable,
  type RemovableCallback,
  type RemovalProgress,
  type RemovalSearch,
  type Retention,
  windowOf,
} from '../domain/retention.ts'
import type { Store } from '../domain/store.ts'
import type { StoreReader } from '../domain/store-reader.ts'
import { PortariaError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'

export interface RetentionRunnerOptions {
  readonly store: Pick<
    Store,
    'listStoredKinds' | 'findRemovable' | 'announceRemoval' | 'removeAged' | 'removeActions' | 'prepareRemoval'
  >
  readonly retention: Retention
  /** These destinations have deliveries that became due. */
  readonly wake: (destinationIds: readonly number[]) => void
  readonly now: () => number
  /** Why nothing may be removed by age now; null: removal is allowed. */
  readonly clockProblem?: () => string | null
  /** False: another process removes old events; default true. */
  readonly isMine?: () => boolean
  readonly log: Log
  readonly pace?: Pace
}

/** How long the runner pauses so that other writes get through. */
export interface Pace {
  /** A clock in ms that is never set. */
  readonly elapsed: () => number
  /** Ends early at the signal, and never fails. */
  readonly rest: (ms: number, signal: AbortSignal) => Promise<void>
}

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

/** One pass over all kinds, in small steps. @param stopping ends it after the step under way */
export function createPass(options: Required<Omit<RetentionRunnerOptions, 'isMine'>>, stopping: AbortSignal) {
  const { store, retention, wake, now, clockProblem, log, pace } = options
  /** Events of one step: `removeRange` fits it to what the last step took. */
  let stepSize = LARGEST_STEP / 4
  /** `prepareRemoval` moves it on, `run` begins again. */
  let splitThrough = 0
  /** Of the pass under way: `run` sets it. */
  let isEnded = () => stopping.aborted

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
    while (!isEnded()) {
      const startedAt = pace.elapsed()
      const removed = await store.removeActions(before, LARGEST_STEP)
      sum += removed
      if (removed < LARGEST_STEP) break
      await pace.rest(((pace.elapsed() - startedAt) * (1 - SHARE)) / SHARE, stopping)
    }
    if (sum > 0) log.info({ actions: sum }, 'retention.actions_removed')
  }

  async function removePart(search: Omit<RemovalSearch, 'after'>, progress: MutableProgress): Promise<void> {
    for await (const { callbacks, kept, reach, next } of rangesOf(store, search, isEnded)) {
      progress.kept += kept
      if (reach.length > 0) await store.announceRemoval(reach, now())
      await prepareRemoval(callbacks)
      const isBehind = next !== null && next.receivedAt < search.before - BEHIND_MS
      await removeRange(search, callbacks, { progress, share: isBehind ? SHARE_BEHIND : SHARE })
    }
  }

  async function prepareRemoval(callbacks: readonly RemovableCallback[]): Promise<void> {
    const ids = callbacks.map(({ callbackId }) => callbackId)
    try {
      while (!isEnded()) {
        const through = await store.prepareRemoval(ids)
        if (through === null) return
        splitThrough = Math.max(splitThrough, through)
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
    for (let from = 0; from < callbacks.length && !isEnded(); ) {
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
      await pace.rest((busyMs * (1 - share)) / share, stopping)
    }
  }

  return {
    run(progress: MutableProgress, isAllowed: () => boolean): Promise<void> {
      splitThrough = 0
      isEnded = () => stopping.aborted || !isAllowed()
      return runPass(progress)
    },
    splitThrough: () => splitThrough,
  }
}

export type RemovalReader = Pick<StoreReader, 'listStoredKinds' | 'findRemovable'>

/** Until there is no more, or the end. */
export async function* rangesOf(store: RemovalReader, search: Omit<RemovalSearch, 'after'>, isEnded = () => false) {
  for (let after: AgePlace | null | undefined; after !== null && !isEnded(); ) {
    const found: Removable = await store.findRemovable({ ...search, after: after ?? null }, RANGE)
    yield found
    after = found.next
  }
}

export function eventsOf(callbacks: readonly RemovableCallback[]): number {
  return callbacks.reduce((sum, { events }) => sum + events, 0)
}

export type MutableProgress = { -readonly [Name in keyof RemovalProgress]: RemovalProgress[Name] }

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
