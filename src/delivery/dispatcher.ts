import type { ClaimedDelivery, ReadyDelivery } from '../domain/delivery.ts'
import { type Destination, isPausedForCertificate } from '../domain/destination.ts'
import type { RetryPolicy } from '../domain/retry-schedule.ts'
import type { Store } from '../domain/store.ts'
import type { DestinationTotals } from '../domain/store-snapshot.ts'
import { guarded } from '../platform/background.ts'
import { messageOf, PortariaError } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import type { CircuitPolicy } from './circuit.ts'
import { DestinationWorker } from './destination-worker.ts'
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
    | 'offerRoom'
  >
  readonly sender: Sender
  readonly policy: RetryPolicy
  /** False: ages are unknown, and no delivery expires; default true. */
  readonly isClockPlausible?: () => boolean
  readonly circuit: CircuitPolicy
  readonly catchUpRate: number | null
  readonly sendBlockedReason: (destination: Destination) => string | null
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
  wake(destinationIds: readonly number[]): void
  /** Reads the destinations again after a change, and cancels the pending deliveries of removed ones. A failed call is repeated until it succeeds. */
  refresh(): Promise<void>
  /** Withdraws those of these deliveries that are claimed and whose attempt has not begun. Returns how many. */
  drop(deliveryIds: readonly number[]): number
  /** null: nothing is sent to this destination. */
  stats(destinationId: number): ReturnType<DestinationWorker['stats']> | null
  /** While a circuit is open; null also where the next delivery that is due is the probe. */
  nextProbeAt(destinationId: number): number | null
  /** For each destination that is active or paused. */
  totals(): DestinationTotals[]
  /** Logs sums of attempts at once. */
  logSums(): void
  /** Waits at most `graceMs` for attempts in flight, aborts the rest and releases their claims. */
  stop(graceMs: number): Promise<void>
}

const CANCEL_BATCH = 2000
const SWEEP_BATCH = 2000
const SWEEP_INTERVAL_MS = 60_000
const REFRESH_AGAIN_MS = 1000

/** A worker for each destination; they share only the outcome batcher and the sender. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { store, sender, log, now } = options
  const outcomes = createOutcomeBatcher(store, log)
  const workers = new Map<number, DestinationWorker>()
  /** Removed destinations whose pending deliveries are canceled. */
  const removed = new Set<number>()
  const pausing = new Set<number>()
  let isStopped = false
  let refreshing: Promise<void> = Promise.resolve()
  let again: NodeJS.Timeout | undefined

  /** Parallel attempts may be answered 410 too: the pause is written and logged once. */
  async function pause({ id, name }: Destination, reason: string): Promise<void> {
    if (pausing.has(id) || workers.get(id)?.destination.state !== 'active') return
    pausing.add(id)
    try {
      await store.pauseDestination(id, reason)
      log.error({ destination: name, reason }, 'destination.paused')
      await refresh()
    } catch (error) {
      // It was removed meanwhile: nothing more is sent to it, so this is no error.
      const isRemoved = error instanceof PortariaError && (error.code === 'conflict' || error.code === 'not_found')
      if (!isRemoved) log.error({ destination: name, error: messageOf(error) }, 'destination.not_paused')
    }
    pausing.delete(id)
  }

  function isToBeResumed(destination: Destination): boolean {
    return isPausedForCertificate(destination) && options.sendBlockedReason(destination) === null
  }

  /** Where the client certificate can be used again. An operator's pause stays. */
  async function resumed(destination: Destination): Promise<Destination> {
    const { id, name, pauseReason } = destination
    if (pauseReason === null || !isToBeResumed(destination)) return destination
    try {
      const next = await store.resumeDestination(id, pauseReason)
      if (next.state === 'active') log.warn({ destination: name, reason: pauseReason }, 'destination.resumed')
      return next
    } catch (error) {
      log.warn({ destination: name, error: messageOf(error) }, 'destination.not_resumed')
      return destination
    }
  }

  async function readDestinations(): Promise<void> {
    if (isStopped) return
    const all = await store.listDestinations({ leaving: true })
    for (const found of all) {
      const destination = await resumed(found)
      if (destination.state === 'active' || destination.state === 'paused') updateWorker(destination)
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

  async function removeWorker(destination: Destination): Promise<void> {
    const worker = workers.get(destination.id)
    workers.delete(destination.id)
    await worker?.stop(AbortSignal.abort())
    sender.forget(destination.id)
    let canceled = 0
    for (let count = CANCEL_BATCH; count === CANCEL_BATCH; canceled += count) {
      count = await store.cancelDeliveries(destination.id, CANCEL_BATCH, now())
    }
    removed.add(destination.id)
    if (canceled > 0)
      log.warn({ destination: destination.name, state: destination.state, canceled }, 'deliveries.canceled')
  }

  function releaseClaim({ deliveryId, destinationId, attempt, dueAt }: ClaimedDelivery): void {
    store
      .releaseClaims([{ deliveryId, attempt, dueAt }])
      // The destination may have come back meanwhile: its new worker has found the delivery claimed.
      .then(() => workers.get(destinationId)?.wake())
      .catch((error: unknown) => log.warn({ error: messageOf(error) }, 'delivery.not_released'))
  }

  function refresh(): Promise<void> {
    // One after the other: with two overlapping readings an older state could replace a newer one.
    refreshing = refreshing.catch(() => undefined).then(readDestinations)
    // The change is in the database, so waiting for the next change would not do.
    refreshing.catch(() => {
      clearTimeout(again)
      if (!isStopped) again = setTimeout(refreshAgain, REFRESH_AGAIN_MS)
    })
    return refreshing
  }
  const refreshAgain = guarded(log, 'taking up destinations', refresh)

  /** Deliveries of a paused destination or behind an open circuit are never claimed, and must expire nevertheless. */
  async function exhaustOld(): Promise<void> {
    if (options.isClockPlausible?.() === false) return
    for (const worker of workers.values()) {
      if (isStopped) return
      const { destination } = worker
      if (destination.state === 'active' && worker.stats().circuitOpenedAt === null) continue
      let exhausted = 0
      let holding = 0
      for (let count = SWEEP_BATCH; count === SWEEP_BATCH; exhausted += count) {
        const dueBefore = now() - options.policy.maxAgeMs
        const batch = await store.exhaustDeliveries(destination.id, dueBefore, SWEEP_BATCH, now())
        count = batch.count
        holding += batch.holding
      }
      if (exhausted === 0) continue
      worker.countExhausted(exhausted)
      log.error(
        {
          destination: destination.name,
          exhausted,
          reason: 'older than forwarding.maxAge',
          ...(holding > 0 && { holdsItsSubject: true }),
        },
        'deliveries.exhausted',
      )
      worker.wake()
    }
  }
  const sweep = guarded(log, 'exhausting old deliveries', () => {
    if ([...workers.values()].some(({ destination }) => isToBeResumed(destination))) refreshAgain()
    return exhaustOld().catch((error: unknown) => log.warn({ error: messageOf(error) }, 'deliveries.not_exhausted'))
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
      for (const id of destinationIds) workers.get(id)?.wake()
    },
    drop(deliveryIds) {
      const dropped = new Set(deliveryIds)
      let count = 0
      for (const worker of workers.values()) count += worker.drop(dropped)
      return count
    },
    refresh,
    stats: (destinationId) => workers.get(destinationId)?.stats() ?? null,
    nextProbeAt: (destinationId) => workers.get(destinationId)?.nextProbeAt ?? null,
    totals: () => [...workers.values()].map((worker) => worker.totals()),
    logSums() {
      for (const worker of workers.values()) worker.logSums()
    },
    async stop(graceMs) {
      isStopped = true
      clearInterval(sweeping)
      clearTimeout(again)
      await refreshing.catch(() => undefined)
      const grace = AbortSignal.timeout(graceMs)
      await Promise.all([...workers.values()].map((worker) => worker.stop(grace)))
      await outcomes.flushed(AbortSignal.timeout(graceMs + 1000))
      await sender.close()
    },
  }
}
