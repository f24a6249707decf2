import { setTimeout as wait } from 'node:timers/promises'
import { type DiskLevel, isAtLeast } from '../domain/disk-pressure.ts'
import type { ClearedResponseBodies, Store } from '../domain/store.ts'
import { messageOf, PortariaError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { say } from '../platform/said.ts'

export interface DiskPressure {
  readonly level: () => DiskLevel
  readonly isWalPinned: () => boolean
}

/** Wraps the store: while space is short, it does not write dispensable data. */
export function withLoadShedding(store: Store, { level, isWalPinned }: DiskPressure): Store {
  function requireRoomInWal(): void {
    if (isWalPinned())
      throw new PortariaError(
        'store_unavailable',
        say`a long read of the database keeps its write-ahead log from shrinking, and writing would fill the disk: this waits until the read ends`,
      )
  }

  function requireRoomForIndex(): void {
    requireRoomInWal()
    if (isAtLeast(level(), 'no_refusals'))
      throw new PortariaError('store_unavailable', say`no disk space for the search index`)
  }

  return {
    ...store,
    async recordRefusals(batch) {
      return isAtLeast(level(), 'no_refusals') ? 0 : store.recordRefusals(batch)
    },
    async settleToken(outcome) {
      // Like callbacks: the service keeps the entries, and the job waits.
      if (isAtLeast(level(), 'no_callbacks'))
        throw new PortariaError('store_unavailable', say`no disk space for entries`)
      return store.settleToken(outcome)
    },
    offerSlots(slots) {
      store.offerSlots(isWalPinned() ? { ...slots, count: 0 } : slots)
    },
    async claimDeliveries(request) {
      requireRoomInWal()
      return store.claimDeliveries(request)
    },
    async workOnSearch(task, bounds) {
      requireRoomForIndex()
      return store.workOnSearch(task, bounds)
    },
    async prepareRemoval(callbackIds) {
      requireRoomForIndex()
      return store.prepareRemoval(callbackIds)
    },
    async removeAged(aged, now) {
      requireRoomInWal()
      return store.removeAged(aged, now)
    },
    recordAttempts(outcomes) {
      if (!isAtLeast(level(), 'no_answers')) return store.recordAttempts(outcomes)
      return store.recordAttempts(outcomes.map((outcome) => ({ ...outcome, answer: new Uint8Array() })))
    },
  }
}

export interface SpaceReclaimer {
  /** Frees space in the database in small steps while there is too little. The next call tries a failed step again. */
  start(): void
  stop(): Promise<void>
}

const REFUSALS_AT_ONCE = 200
const ANSWERS_AT_ONCE = 1000
/** Leaves the disk to others between two steps. */
const PAUSE_MS = 20

/** Removes dispensable data: refusals first, then the answers of attempts, each from the oldest on. */
export function createSpaceReclaimer(
  parts: DiskPressure & { readonly store: Pick<Store, 'dropRefusals' | 'clearResponseBodies'>; readonly log: Log },
): SpaceReclaimer {
  const { store, level, isWalPinned, log } = parts
  /** Everything that this level removes is removed. */
  let doneAt: DiskLevel = 'ok'
  let running: Promise<void> | null = null
  let isStopped = false

  const mayDrop = (from: DiskLevel) => !isStopped && isAtLeast(level(), from) && !isWalPinned()

  async function reclaim(): Promise<void> {
    const aim = level()
    try {
      const [refusals, answers] = [await dropRefusals(), await clearResponseBodies()]
      if (refusals + answers > 0) log.warn({ refusals, answers }, 'disk.dropped')
      if (!isWalPinned()) doneAt = aim
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'disk.not_dropped')
    }
    running = null
  }

  async function dropRefusals(): Promise<number> {
    let sum = 0
    while (mayDrop('no_refusals')) {
      const dropped = await store.dropRefusals(REFUSALS_AT_ONCE)
      if (dropped === 0) break
      sum += dropped
      await wait(PAUSE_MS)
    }
    return sum
  }

  async function clearResponseBodies(): Promise<number> {
    let sum = 0
    for (let after: number | null = 0; after !== null && mayDrop('no_answers'); ) {
      const piece: ClearedResponseBodies = await store.clearResponseBodies(after, ANSWERS_AT_ONCE)
      sum += piece.cleared
      after = piece.next
      await wait(PAUSE_MS)
    }
    return sum
  }

  return {
    start() {
      if (!isAtLeast(level(), doneAt)) doneAt = 'ok'
      if (level() !== doneAt && !isStopped && !isWalPinned()) running ??= reclaim()
    },
    async stop() {
      isStopped = true
      await running
    },
  }
}
