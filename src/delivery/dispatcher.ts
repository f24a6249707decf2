import type { ClaimedDelivery, ReadyDelivery } from '../domain/delivery.ts'
import type { Destination } from '../domain/destination.ts'
import type { SomeOf } from '../domain/nodes/foreign-changes.ts'
import type { RetryPolicy } from '../domain/retry-schedule.ts'
import type { Store } from '../domain/store.ts'
import type { DestinationTotals } from '../domain/store-snapshot.ts'
import { guarded } from '../platform/background.ts'
import { messageOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import type { CircuitPolicy } from './circuit.ts'
import { DestinationWorker } from './destination-worker.ts'
import { createDestinationPauses } from './dispatching/destination-pauses.ts'
import { createRepeatedReading } from './dispatching/repeated-reading.ts'
import { createStoppingWorkers } from './dispatching/stopping-workers.ts'
import { cancelAll, exhaustOld } from './dispatching/unsent-deliveries.ts'
import { createOutcomeBatcher } from './outcome-batcher.ts'
import type { Sender } from './send.ts'

export interface DispatcherOptions {
  readonly store: Pick<
    Store,
    | 'claimDeliveries'
    | 'releaseClaims'
    | 'recordAttempts'
    | 'listDestinations'
    | 'pauseDestination'
    | 'resumeDestination'
    | 'cancelDeliveries'
    | 'exhaustDeliveries'
    | 'setCircuit'
    | 'offerSlots'
  >
  readonly sender: Sender
  readonly policy: RetryPolicy
  /** False: ages are unknown, and no delivery expires; default true. */
  readonly isClockPlausible?: () => boolean
  readonly circuit: CircuitPolicy
  readonly catchUpRate: number | null
  readonly sendBlockedReason: (destination: Destination) => string | null
  /** Whether this process sends to the destination; default: to each. After a change, `refresh` begins, and `leave` ends. */
  readonly holds?: (destinationId: number) => boolean
  /** As in DestinationWorkerOptions. After it was false, `wake` goes on. */
  readonly mayBegin?: () => boolean
  readonly now: () => number
  readonly random: () => number
  /** An attempt at any destination has ended. */
  readonly onAttempted?: (durationMs: number) => void
  readonly log: Log
  /** How often deliveries that are too old are exhausted where nothing is claimed, and destinations resumed; default a minute. */
  readonly sweepIntervalMs?: number
}

export interface Dispatcher {
  /** Sends deliveries that were claimed while their callback was stored. */
  send(handed: readonly ReadyDelivery[]): void
  /** These destinations have new pending deliveries. */
  wake(destinationIds: SomeOf<number>): void
  /** Reads the destinations again after a change, and cancels the pending deliveries of removed ones. A failed call is repeated until it succeeds. */
  refresh(): Promise<void>
  /** Withdraws those of these deliveries that are claimed and whose attempt has not begun. Returns how many. */
  drop(deliveryIds: SomeOf<number>): number
  /** null: nothing is sent to this destination. */
  stats(destinationId: number): ReturnType<DestinationWorker['stats']> | null
  /** While a circuit is open; null also where the next delivery that is due is the probe. */
  nextProbeAt(destinationId: number): number | null
  /** Sends nothing more to these destinations: waits at most `graceMs` for attempts in flight, aborts the rest, and records all of them. */
  leave(destinationIds: readonly number[], graceMs: number): Promise<void>
  /** For each destination that is active or paused. */
  totals(): DestinationTotals[]
  /** Logs sums of attempts at once. */
  logSums(): void
  /** Waits at most `graceMs` for attempts in flight, aborts the rest and releases their claims. */
  stop(graceMs: number): Promise<void>
}

const SWEEP_INTERVAL_MS = 60_000
const TASK = 'taking up destinations'

/** A worker for each destination; they share only the outcome batcher and the sender. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { store, sender, log, holds = () => true } = options
  const stopping = new AbortController()
  const outcomes = createOutcomeBatcher(store, log)
  const workers = new Map<number, DestinationWorker>()
  /** Removed destinations whose pending deliveries are canceled. */
  const removed = new Set<number>()
  /** To which another process sends, as of the last reading. */
  let others: readonly Destination[] = []
  /** Those of `leave`. */
  const leaving = createStoppingWorkers()
  const pauses = createDestinationPauses(options)
  const destinations = createRepeatedReading({ read: readDestinations, task: TASK, log, signal: stopping.signal })

  async function readDestinations(): Promise<void> {
    const all = await store.listDestinations({ leaving: true })
    others = all.filter((one) => isPresent(one) && !holds(one.id))
    for (const found of all) {
      const destination = holds(found.id) ? await pauses.resumed(found) : found
      if (!holds(found.id)) continue
      if (isPresent(destination)) updateWorker(destination)
      else if (!removed.has(destination.id)) await removeWorker(destination)
    }
  }

  function updateWorker(destination: Destination): void {
    removed.delete(destination.id)
    const worker = workers.get(destination.id)
    if (worker !== undefined) return worker.update(destination)
    const made = new DestinationWorker(destination, {
      ...options,
      outcomes,
      onAttempted: options.onAttempted ?? (() => undefined),
      onPause: (paused, reason) => void pause(paused, reason),
    })
    workers.set(destination.id, made)
    made.wake()
  }

  async function pause(destination: Destination, reason: string): Promise<void> {
    if (workers.get(destination.id)?.destination.state !== 'active') return
    await pauses.pause(destination, reason, destinations.read)
  }

  async function removeWorker(destination: Destination): Promise<void> {
    const worker = workers.get(destination.id)
    workers.delete(destination.id)
    await worker?.stop(AbortSignal.abort())
    sender.forget(destination.id)
    await cancelAll(destination, options)
    removed.add(destination.id)
  }

  function totalsOfOthers(): DestinationTotals[] {
    return others.filter(({ id }) => !workers.has(id)).map(totalsOfOther)
  }

  function releaseClaim({ deliveryId, destinationId, attempt, dueAt }: ClaimedDelivery): void {
    store
      .releaseClaims([{ deliveryId, attempt, dueAt }])
      // The destination may have come back meanwhile: its new worker has found the delivery claimed.
      .then(() => workers.get(destinationId)?.wake())
      .catch((error: unknown) => log.warn({ error: messageOf(error) }, 'delivery.not_released'))
  }

  const sweep = guarded(log, 'exhausting old deliveries', () => {
    if ([...workers.values()].some(({ destination }) => pauses.isToBeResumed(destination))) destinations.readSoon()
    return exhaustUnclaimed(workers, options, stopping.signal).catch((error: unknown) =>
      log.warn({ error: messageOf(error) }, 'deliveries.not_exhausted'),
    )
  })
  const sweeping = setInterval(sweep, options.sweepIntervalMs ?? SWEEP_INTERVAL_MS)

  return {
    send(handed) {
      for (const ready of handed) {
        const worker = workers.get(ready.delivery.destinationId)
        if (worker !== undefined) worker.send(ready)
        // Its destination was removed. Without its claim, the delivery is canceled.
        else releaseClaim(ready.delivery)
      }
    },
    wake(destinationIds) {
      for (const id of destinationIds === 'all' ? workers.keys() : destinationIds) workers.get(id)?.wake()
    },
    drop(deliveryIds) {
      const dropped = deliveryIds === 'all' ? null : new Set(deliveryIds)
      let count = 0
      for (const worker of workers.values()) count += worker.drop(dropped)
      return count
    },
    refresh: destinations.read,
    async leave(destinationIds, graceMs) {
      const left = destinationIds.flatMap((id) => workers.get(id) ?? [])
      for (const id of destinationIds) workers.delete(id)
      await leaving.stop(left, graceMs)
      for (const { destination } of left) sender.forget(destination.id)
      await outcomes.flushed(AbortSignal.timeout(graceMs + 1000))
      destinations.readSoon()
    },
    stats: (destinationId) => workers.get(destinationId)?.stats() ?? null,
    nextProbeAt: (destinationId) => workers.get(destinationId)?.nextProbeAt ?? null,
    totals: () => [...[...workers.values()].map((worker) => worker.totals()), ...totalsOfOthers()],
    logSums() {
      for (const worker of workers.values()) worker.logSums()
    },
    async stop(graceMs) {
      stopping.abort()
      clearInterval(sweeping)
      await destinations.ended()
      const grace = AbortSignal.timeout(graceMs)
      await Promise.all([...[...workers.values()].map((worker) => worker.stop(grace)), leaving.ended(grace)])
      await outcomes.flushed(AbortSignal.timeout(graceMs + 1000))
      await sender.close()
    },
  }
}

/** Deliveries of a paused destination or behind an open circuit are never claimed, and must expire nevertheless. */
async function exhaustUnclaimed(
  workers: ReadonlyMap<number, DestinationWorker>,
  options: DispatcherOptions,
  stopping: AbortSignal,
): Promise<void> {
  if (options.isClockPlausible?.() === false) return
  for (const worker of workers.values()) {
    if (stopping.aborted) return
    const { destination } = worker
    if (destination.state === 'active' && worker.stats().circuitOpenedAt === null) continue
    const exhausted = await exhaustOld(destination, options)
    if (exhausted === 0) continue
    worker.countExhausted(exhausted)
    worker.wake()
  }
}

function isPresent({ state }: Destination): boolean {
  return state === 'active' || state === 'paused'
}

/** What is sent is counted where it is sent. */
function totalsOfOther({
  id: destinationId,
  name: destination,
  owner,
  state,
  circuitOpenedAt,
}: Destination): DestinationTotals {
  const counts = { sending: 0, delivered: 0, failed: 0, exhausted: 0 }
  const isFailing = circuitOpenedAt !== null
  return { destinationId, destination, owner, isPaused: state === 'paused', circuitOpenedAt, isFailing, ...counts }
}
