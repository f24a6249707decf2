import type { AttemptOutcome, Claim, ClaimedDelivery, ClaimRequest } from '../domain/delivery.ts'
import type { Destination } from '../domain/destination.ts'
import type { RetryPolicy } from '../domain/retry-schedule.ts'
import type { Store } from '../domain/store.ts'
import type { DestinationTotals } from '../domain/store-snapshot.ts'
import { guarded } from '../platform/background.ts'
import { messageOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import { type AttemptLog, createAttemptLog } from './attempt-log.ts'
import { type Circuit, type CircuitPolicy, createCircuit, isDestinationTrouble } from './circuit.ts'
import { expired, interrupted, isGone, outcomeOf, retryAfterMs } from './outcome.ts'
import type { OutcomeBatcher } from './outcome-batcher.ts'
import { createPrefetch } from './prefetch.ts'
import { createProbes, type Probes } from './probes.ts'
import type { AttemptResult, Sender } from './send.ts'
import { createTokenBucket } from './token-bucket.ts'
import { createAttemptWindow, type WorkerStats } from './worker-stats.ts'

export interface DestinationWorkerOptions {
  readonly store: Pick<Store, 'claimDeliveries' | 'releaseClaims' | 'setCircuit'>
  readonly sender: Pick<Sender, 'send'>
  readonly journal: OutcomeBatcher
  readonly policy: RetryPolicy
  readonly isClockPlausible?: () => boolean
  readonly circuit: CircuitPolicy
  /** Of the backlog of a destination that was away, at most so many a second; null: no bound. */
  readonly catchUpRate: number | null
  /** Why nothing may be sent to it now, in words; null: it may. */
  readonly sendBlockedReason: (destination: Destination) => string | null
  readonly now: () => number
  readonly random: () => number
  readonly log: Log
  /** It must not be sent to any more until an operator resumes it. */
  readonly onPause: (destination: Destination, reason: string) => void
  /** An attempt has ended. */
  readonly onAttempted: (durationMs: number) => void
}

/** The way of one destination's deliveries: claimed, sent, recorded, independent of every other destination. */
export interface DestinationWorker {
  readonly destination: Destination
  /** Something may be due. */
  wake(): void
  update(destination: Destination): void
  /** What of these is claimed and not begun is not sent: its claim is given back. */
  drop(deliveryIds: ReadonlySet<number>): void
  stats(): WorkerStats & { readonly circuitOpenedAt: number | null; readonly sending: number }
  totals(): DestinationTotals
  /** So many ended without an attempt. */
  countExhausted(count: number): void
  /** Claims nothing more; resolves when what is in flight has ended, or was aborted by `signal`. */
  stop(signal: AbortSignal): Promise<void>
}

type Wanted = Pick<ClaimRequest, 'limit' | 'backlogLimit' | 'backlogShare' | 'freshSince' | 'isUntriedFirst'>

const LEASE_SLACK_MS = 30_000
const MAX_TIMER_MS = 60_000
const CLAIM_RETRY_MS = 1000
/** One place in so many is the backlog's, however much is fresh. */
const BACKLOG_PLACES = 8

export function createDestinationWorker(
  destination: Destination,
  options: DestinationWorkerOptions,
): DestinationWorker {
  return new DestinationLane(destination, options)
}

class DestinationLane implements DestinationWorker {
  destination: Destination
  readonly #options: DestinationWorkerOptions
  readonly #abort = new AbortController()
  readonly #circuit: Circuit
  readonly #window = createAttemptWindow()
  readonly #ahead = createPrefetch()
  readonly #attemptLog: AttemptLog
  readonly #wakeInTime: () => void
  /** Of work that nobody awaits: one error line, and the lane looks again after a moment. */
  readonly #failed: (error: unknown) => void
  #rate: ReturnType<typeof createTokenBucket>
  #catchUpRate: ReturnType<typeof createTokenBucket>
  /** What was due before waited while the destination was away, or while nothing was sent: the backlog. */
  #freshSince: number
  readonly #probes: Probes
  /** Claimed and not begun; each with the end of its lease. */
  #ready: { delivery: ClaimedDelivery; leaseUntil: number }[] = []
  /** Claimed, with its attempt, until the outcome is on disk or the claim is given back. */
  readonly #held = new Map<number, number>()
  /** One of them was retried, or its lease is over: when it is on record, it may be due. */
  #isHeldDue = false
  /** Fresh ones claimed since the backlog had its last place. */
  #freshInARow = 0
  #sending = 0
  readonly #totals = { delivered: 0, failed: 0, exhausted: 0 }
  #releasing = 0
  #isClaiming = false
  #isWanted = false
  #isStopped = false
  #timer: { readonly at: number; readonly handle: NodeJS.Timeout } | undefined
  #onQuiet: (() => void) | undefined

  constructor(destination: Destination, options: DestinationWorkerOptions) {
    this.destination = destination
    this.#options = options
    this.#freshSince = options.now()
    this.#attemptLog = createAttemptLog(options.log, options.now)
    const task = `forwarding to ${destination.name}`
    this.#failed = guarded(options.log, task, (error: unknown) => {
      this.#isWanted = true
      this.#wakeAt(options.now() + CLAIM_RETRY_MS)
      throw error
    })
    this.#wakeInTime = guarded(options.log, task, () => {
      this.#timer = undefined
      try {
        this.wake()
      } catch (error) {
        this.#failed(error)
      }
    })
    this.#probes = createProbes(options.circuit.probeIntervalMs, options.now)
    this.#rate = createTokenBucket(destination.rateLimit, options.now)
    this.#catchUpRate = createTokenBucket(options.catchUpRate, options.now)
    this.#circuit = createCircuit(options.circuit, {
      openedAt: destination.circuitOpenedAt,
      now: options.now,
      onChange: (openedAt) => this.#circuitChanged(openedAt),
    })
  }

  wake(): void {
    this.#isWanted = true
    this.#pump()
  }

  update(destination: Destination): void {
    const { now } = this.#options
    if (destination.rateLimit !== this.destination.rateLimit) this.#rate = createTokenBucket(destination.rateLimit, now)
    if (destination.state === 'active' && this.destination.state !== 'active') {
      this.#beginBacklog()
      this.#probes.soon()
    }
    // What was mended may help: there is no reason to wait for the next probe.
    if (isSentOtherwise(this.destination, destination)) this.#probes.soon()
    const isReordered = destination.order !== this.destination.order
    this.destination = destination
    // What is claimed and not begun stands in lines now, or in none any more.
    if (destination.state !== 'active' || isReordered) this.#releaseReady()
    this.wake()
  }

  drop(deliveryIds: ReadonlySet<number>): void {
    const dropped = this.#ready.filter(({ delivery }) => deliveryIds.has(delivery.deliveryId))
    this.#ready = this.#ready.filter((one) => !dropped.includes(one))
    this.#release(dropped.map(({ delivery }) => delivery)).catch(this.#failed)
  }

  stats() {
    return { ...this.#window.stats(), circuitOpenedAt: this.#circuit.openedAt, sending: this.#sending }
  }

  totals() {
    return {
      ...this.#totals,
      destination: this.destination.name,
      owner: this.destination.owner,
      isPaused: this.destination.state === 'paused',
      isCircuitOpen: this.#circuit.openedAt !== null,
      sending: this.#sending,
    }
  }

  countExhausted(count: number): void {
    this.#totals.exhausted += count
  }

  async stop(signal: AbortSignal): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer?.handle)
    this.#releaseReady()
    const abort = () => this.#abort.abort()
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
    if (this.#isBusy) await new Promise<void>((resolve) => (this.#onQuiet = resolve))
    signal.removeEventListener('abort', abort)
    this.#attemptLog.flush()
  }

  get #isOpen(): boolean {
    return !this.#isStopped && this.destination.state === 'active'
  }

  get #isBusy(): boolean {
    return this.#sending > 0 || this.#releasing > 0 || this.#isClaiming
  }

  #pump(): void {
    while (this.#isOpen && this.#sending < this.destination.concurrency) {
      const next = this.#ready.shift()
      if (next === undefined) break
      this.#begin(next)
    }
    if (this.#isOpen && this.#isWanted && !this.#isClaiming) this.#claimIfRoom()
    if (!this.#isBusy) this.#onQuiet?.()
  }

  #claimIfRoom(): void {
    const { concurrency } = this.destination
    const { sendBlockedReason, onPause } = this.#options
    const ahead = this.#ahead.count(concurrency)
    // The end of an attempt makes room; half of it at once, for each claim is a commit.
    const room = concurrency + ahead - this.#sending - this.#ready.length
    if (this.#ready.length > ahead / 2 || room < 1) return
    const reason = sendBlockedReason(this.destination)
    if (reason !== null) {
      this.#isWanted = false
      onPause(this.destination, reason)
      // Where the pause cannot be written, it is tried again.
      return this.#wakeAt(this.#options.now() + CLAIM_RETRY_MS)
    }
    if (this.#circuit.openedAt !== null) return this.#claimProbe()
    const allowed = this.#rate.available()
    if (allowed < 1) return this.#wakeAt(this.#rate.nextAt())
    this.#claim({
      limit: Math.min(room, allowed),
      backlogLimit: this.#catchUpRate.available(),
      backlogShare: Math.floor((this.#freshInARow + Math.min(room, allowed)) / BACKLOG_PLACES),
      freshSince: this.#freshSince,
    }).catch(this.#failed)
  }

  /** While the circuit is open one delivery at a time finds out whether the destination is back. */
  #claimProbe(): void {
    if (this.#sending > 0 || this.#ready.length > 0) return
    const waitMs = this.#probes.waitMs()
    if (waitMs > 0) this.#wakeAt(this.#options.now() + waitMs)
    else this.#claim({ limit: 1, backlogLimit: 1, freshSince: 0, ...this.#probes.take() }).catch(this.#failed)
  }

  async #claim(wanted: Wanted): Promise<void> {
    const { store, now, log } = this.#options
    const isProbe = this.#circuit.openedAt !== null
    this.#isClaiming = true
    this.#isWanted = false
    const at = now()
    const leaseUntil = at + this.destination.timeoutMs + LEASE_SLACK_MS
    try {
      const claim = await store.claimDeliveries({
        ...wanted,
        ...{ destinationId: this.destination.id, now: at, leaseUntil, held: [...this.#held.keys()] },
      })
      this.#take(claim, leaseUntil)
      // A probe that found nothing due was none: the next one due is.
      if (isProbe && claim.deliveries.length === 0) this.#probes.soon()
      if (claim.deliveries.length === wanted.limit) this.#isWanted = true
      else if (claim.hasBacklog) this.#wakeAt(this.#catchUpRate.nextAt())
      if (claim.nextDueAt !== null) this.#wakeAt(claim.nextDueAt)
    } catch (error) {
      log.error({ destination: this.destination.name, error: messageOf(error) }, 'delivery.not_claimed')
      this.#wakeAt(now() + CLAIM_RETRY_MS)
    }
    this.#isClaiming = false
    // The circuit may have opened meanwhile: what was claimed for a well destination is no probe.
    if (!this.#isOpen || (this.#circuit.openedAt !== null && !isProbe)) this.#releaseReady()
    this.#pump()
  }

  #take({ deliveries, isHeldDue, hasBacklog }: Claim, leaseUntil: number): void {
    const old = deliveries.filter(({ isBacklog }) => isBacklog).length
    this.#rate.take(deliveries.length)
    this.#catchUpRate.take(old)
    this.#freshInARow = old > 0 || !hasBacklog ? 0 : Math.min(this.#freshInARow + deliveries.length, BACKLOG_PLACES - 1)
    this.#isHeldDue ||= isHeldDue
    for (const delivery of deliveries) {
      this.#held.set(delivery.deliveryId, delivery.attempt)
      this.#ready.push({ delivery, leaseUntil })
    }
  }

  #forgetClaim({ deliveryId, attempt }: ClaimedDelivery): void {
    // A later attempt may be held already: it was claimed in the commit that recorded this one, or gave it back.
    if (this.#held.get(deliveryId) === attempt) this.#held.delete(deliveryId)
  }

  /** A timer that fires too early costs one empty claim; the earliest one stays. */
  #wakeAt(at: number): void {
    if (this.#isStopped || (this.#timer !== undefined && this.#timer.at <= at)) return
    clearTimeout(this.#timer?.handle)
    const wait = Math.min(Math.max(at - this.#options.now(), 0), MAX_TIMER_MS)
    const handle = setTimeout(this.#wakeInTime, wait)
    this.#timer = { at, handle }
  }

  #begin({ delivery, leaseUntil }: { delivery: ClaimedDelivery; leaseUntil: number }): void {
    const { now } = this.#options
    // Too little of the lease is left for a whole attempt: give it back, it is due at once.
    if (leaseUntil - now() < this.destination.timeoutMs) return this.#giveBack(delivery)
    const old = expired(delivery, this.#policy, now())
    if (old !== null) {
      // Nothing was sent, so nothing was found out either.
      this.#probes.soon()
      return this.#record(delivery, old)
    }
    this.#sending++
    this.#send(delivery).catch((error: unknown) => {
      // Its lease ends by itself; held for good it would not be claimed again.
      this.#forgetClaim(delivery)
      this.#failed(error)
    })
  }

  async #send(delivery: ClaimedDelivery): Promise<void> {
    const result = await this.#options.sender.send(delivery, this.destination, this.#abort.signal)
    this.#sending--
    if (!result.aborted) this.#conclude(delivery, result)
    else if (result.hasBegun) this.#record(delivery, interrupted(delivery, result))
    else this.#giveBack(delivery)
    this.#pump()
  }

  #conclude(delivery: ClaimedDelivery, result: AttemptResult): void {
    const { random, onPause, onAttempted } = this.#options
    onAttempted(result.durationMs)
    if (result.error === null) this.#totals.delivered++
    else this.#totals.failed++
    this.#window.add({ durationMs: result.durationMs, isSuccess: result.error === null })
    this.#ahead.add(result.durationMs)
    // One that is gone is paused, which says nothing about its circuit.
    if (isDestinationTrouble(result)) this.#circuit.failed(delivery.deliveryId)
    else if (!isGone(result)) this.#circuit.succeeded()
    const isCircuitOpen = this.#circuit.openedAt !== null
    // Retry-After is meant for the destination as a whole: a probe of any delivery waits for it.
    if (isCircuitOpen) this.#probes.delay(retryAfterMs(result, this.#options.policy))
    this.#record(delivery, outcomeOf(delivery, result, { policy: this.#policy, random: random(), isCircuitOpen }))
    if (isGone(result)) onPause(this.destination, 'it answered 410 Gone')
  }

  get #policy(): RetryPolicy {
    const { policy, isClockPlausible } = this.#options
    const schedule = this.destination.schedule ?? policy.schedule
    const maxAgeMs = isClockPlausible?.() === false ? Number.POSITIVE_INFINITY : policy.maxAgeMs
    return { ...policy, schedule, maxAgeMs }
  }

  #circuitChanged(openedAt: number | null): void {
    const { store, log, circuit } = this.#options
    const { id, name } = this.destination
    if (openedAt === null) {
      this.#beginBacklog()
      log.warn({ destination: name }, 'destination.recovered')
    } else {
      this.#probes.restart()
      this.#releaseReady()
      log.error({ destination: name, probeIntervalMs: circuit.probeIntervalMs }, 'destination.circuit_opened')
    }
    store
      .setCircuit(id, openedAt)
      .catch((error: unknown) =>
        log.warn({ destination: name, error: messageOf(error) }, 'destination.circuit_not_recorded'),
      )
    this.#isWanted = true
  }

  /** It is back: what is due already is its backlog now, which gets no second's worth at once for the time in which nothing was sent. */
  #beginBacklog(): void {
    const { now, catchUpRate } = this.#options
    this.#freshSince = now()
    this.#catchUpRate = createTokenBucket(catchUpRate, now)
  }

  #record(delivery: ClaimedDelivery, outcome: AttemptOutcome): void {
    this.#attemptLog.attempted(delivery, this.destination, outcome)
    if (outcome.result.state === 'exhausted') this.countExhausted(1)
    const onRecorded = () => {
      this.#forgetClaim(delivery)
      if (outcome.result.state === 'pending') this.#wakeAt(outcome.result.at)
      // The next one of its subject may be claimable now.
      if (this.#isHeldDue || (this.destination.order === 'subject' && outcome.result.state !== 'pending')) {
        this.#isHeldDue = false
        this.wake()
      }
    }
    this.#options.journal.record(outcome, onRecorded, delivery.isInLine)
  }

  #giveBack(delivery: ClaimedDelivery): void {
    this.#release([delivery]).catch(this.#failed)
  }

  #releaseReady(): void {
    this.#release(this.#ready.splice(0).map(({ delivery }) => delivery)).catch(this.#failed)
  }

  async #release(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    if (deliveries.length === 0) return
    const { store, log } = this.#options
    for (const delivery of deliveries) this.#forgetClaim(delivery)
    this.#releasing++
    try {
      await store.releaseClaims(deliveries.map(({ deliveryId, attempt, dueAt }) => ({ deliveryId, attempt, dueAt })))
      this.#isWanted = true
    } catch (error) {
      // The lease ends by itself.
      log.warn({ destination: this.destination.name, error: messageOf(error) }, 'delivery.not_released')
    }
    this.#releasing--
    this.#pump()
  }
}

function isSentOtherwise(before: Destination, after: Destination): boolean {
  const whatIsSent = ({ url, headers, authorities, timeoutMs, format, secrets }: Destination) =>
    JSON.stringify([url, headers, authorities, timeoutMs, format, secrets])
  return whatIsSent(before) !== whatIsSent(after)
}
