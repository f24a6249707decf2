import type { AttemptOutcome, ClaimedDelivery, ClaimRequest, ReadyDelivery } from '../domain/delivery.ts'
import type { Destination } from '../domain/destination.ts'
import { isRequestChanged } from '../domain/destination-changes.ts'
import { forwardingText } from '../domain/forwarding/forwarding-texts.ts'
import type { DestinationTotals } from '../domain/store-snapshot.ts'
import { guarded } from '../platform/background.ts'
import { messageOf } from '../platform/errors.ts'
import { type AttemptLog, createAttemptLog } from './attempt-log.ts'
import { type ClaimRates, createClaimRates, type WantedClaim } from './claim-rates.ts'
import { ClaimsWindow, leaseMsOf } from './claims-window.ts'
import { createDestinationHealth, type DestinationHealth } from './destination-health.ts'
import { expired, interrupted, isGone, outcomeOf, policyFor } from './outcome.ts'
import type { AttemptEnding, AttemptResult } from './send.ts'
import { createSlotOffer, type SlotOffer } from './slot-offer.ts'
import { createWakeTimer, type WakeTimer } from './wake-timer.ts'
import type { DestinationWorkerOptions } from './worker-options.ts'
import type { WorkerStats } from './worker-stats.ts'

/*
 * When a worker claims:
 *
 *                        `failures` different deliveries fail
 *   ┌────────────────┐ ───────────────────────────────────────▶ ┌───────────────────┐
 *   │ circuit closed │                                          │ circuit open      │
 *   │ claims up to   │ ◀─────────────────────────────────────── │ claims one probe  │
 *   │ slots and rate │    an attempt succeeds: the backlog      │ in each interval  │
 *   └────────────────┘    begins                                └───────────────────┘
 *      │          ▲                                                │          ▲
 *      │ 410, nothing may be sent, or an operator's pause:         │          │
 *      ▼ ready claims are released                                 ▼          │
 *   ┌─────────────────────────────────────────────────────────────────────────┐
 *   │ paused: claims nothing. Resumed, a backlog begins and a probe is due     │
 *   └─────────────────────────────────────────────────────────────────────────┘
 *
 * Any state, stop ──▶ stopped: ready claims are released, attempts in flight end or are aborted.
 * Within a state the worker sleeps until it is woken, a timer fires, or an attempt ends.
 *
 * Where nothing is due and nothing holds it back, the worker offers slots: the store claims new deliveries while it stores them, and `send` begins them.
 */

const CLAIM_RETRY_MS = 1000

/** Claims, sends and records one destination's deliveries, independent of every other destination. */
export class DestinationWorker {
  readonly #options: DestinationWorkerOptions
  readonly #claims: ClaimsWindow
  readonly #rates: ClaimRates
  readonly #health: DestinationHealth
  readonly #abort = new AbortController()
  readonly #ending: AttemptEnding
  readonly #offer: SlotOffer
  readonly #attemptLog: AttemptLog
  readonly #timer: WakeTimer
  /** For work that nothing awaits: one error line, and another claim after a moment. */
  readonly #failed: (error: unknown) => void
  #destination: Destination
  /** Something may be due. */
  #isClaimWanted = false
  /** Some of the backlog was unclaimed after the last claim. */
  #hasBacklog = true
  #isStopped = false
  #onQuiet: (() => void) | undefined

  constructor(destination: Destination, options: DestinationWorkerOptions) {
    const { store, outcomes, log, now, catchUpRate } = options
    const { name, rateLimit } = destination
    this.#destination = destination
    this.#options = options
    this.#claims = new ClaimsWindow({ store, outcomes, destination: name, log })
    this.#rates = createClaimRates({ rateLimit, catchUpRate, now })
    this.#attemptLog = createAttemptLog(log, now)
    const { mayBegin } = options
    this.#ending = { signal: this.#abort.signal, ...(mayBegin !== undefined && { mayBegin }) }
    this.#offer = createSlotOffer(store)
    this.#failed = guarded(log, `forwarding to ${name}`, (error: unknown) => {
      this.#isClaimWanted = true
      this.#timer.wakeAt(now() + CLAIM_RETRY_MS)
      throw error
    })
    const onWake = () => {
      try {
        this.wake()
      } catch (error) {
        this.#failed(error)
      }
    }
    this.#timer = createWakeTimer({ onWake, task: `forwarding to ${name}`, now, log })
    this.#health = createDestinationHealth(
      destination,
      () => this.#destination.name,
      options,
      (isOpen) => this.#circuitChanged(isOpen),
    )
  }

  get destination(): Destination {
    return this.#destination
  }

  /** Something may be due. */
  wake(): void {
    this.#isClaimWanted = true
    this.#pump()
  }

  /** A delivery that was claimed while its callback was stored. */
  send(ready: ReadyDelivery): void {
    this.#offer.took([ready.delivery])
    this.#claims.handed(ready)
    this.#rates.handed()
    // Where nothing else causes a claim: it renews leases, and finds a delivery whose result was lost.
    this.#timer.wakeAt(ready.leaseUntil)
    const maySend = this.#maySend
    if (!maySend) this.#releaseReady()
    this.#pump(maySend)
  }

  update(next: Destination): void {
    const before = this.#destination
    if (next.rateLimit !== before.rateLimit) this.#rates.setRateLimit(next.rateLimit)
    if (next.state === 'active' && before.state !== 'active') {
      this.#rates.beginBacklog()
      this.#health.probes.soon()
    }
    // The change may have repaired the destination: there is no reason to wait for the next probe.
    if (isRequestChanged(before, next)) this.#health.probes.soon()
    this.#destination = next
    // With another order, other deliveries may be sent first.
    if (next.state !== 'active' || next.order !== before.order) this.#releaseReady()
    this.wake()
  }

  /** Releases the claims of those deliveries that are ready and not under way, so that they are not sent; null: of all. Returns how many. */
  drop(deliveryIds: ReadonlySet<number> | null): number {
    const dropped = this.#claims.takeReady(({ deliveryId }) => deliveryIds?.has(deliveryId) ?? true)
    this.#release(dropped)
    return dropped.length
  }

  stats(): WorkerStats & { readonly circuitOpenedAt: number | null; readonly sending: number } {
    return { ...this.#health.stats(), sending: this.#claims.underWay }
  }

  /** null: no circuit is open, nothing may be sent, or the next delivery that is due is the probe. */
  get nextProbeAt(): number | null {
    return this.#isOpen && this.#health.circuitOpenedAt !== null ? this.#health.probes.nextAt() : null
  }

  totals(): DestinationTotals {
    const { id: destinationId, name: destination, owner, state } = this.#destination
    const isPaused = state === 'paused'
    const sending = this.#claims.underWay
    return { ...this.#health.totals(), destinationId, destination, owner, isPaused, sending }
  }

  /** Logs the sum of attempts at once. */
  logSums(): void {
    this.#attemptLog.flush()
  }

  /** Adds deliveries that ended without an attempt. */
  countExhausted(count: number): void {
    this.#health.exhausted(count)
  }

  /** Claims nothing more. Resolves when every attempt in flight has ended, or was aborted by `signal`. */
  async stop(signal: AbortSignal): Promise<void> {
    this.#isStopped = true
    this.#timer.stop()
    this.#offerSlots(false)
    this.#releaseReady()
    const abort = () => this.#abort.abort()
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
    if (this.#claims.isBusy) await new Promise<void>((resolve) => (this.#onQuiet = resolve))
    signal.removeEventListener('abort', abort)
    this.#offer.close(this.#destination)
    this.logSums()
  }

  get #isOpen(): boolean {
    const { mayBegin } = this.#options
    return !this.#isStopped && this.#destination.state === 'active' && mayBegin?.() !== false
  }

  /** Begins attempts and claims, as far as concurrency, rates and circuit allow. */
  #pump(maySend = this.#maySend): void {
    while (this.#isOpen && this.#claims.underWay < this.#destination.concurrency) {
      const next = this.#claims.next()
      if (next === undefined) break
      this.#begin(next)
    }
    if (this.#isOpen && this.#isClaimWanted && !this.#claims.isClaiming) this.#claimIfFree()
    this.#offerSlots(maySend)
    if (!this.#claims.isBusy) this.#onQuiet?.()
  }

  /** No circuit or pause holds deliveries back, and nothing else forbids to send. */
  get #maySend(): boolean {
    const { sendBlockedReason } = this.#options
    return this.#isOpen && this.#health.circuitOpenedAt === null && sendBlockedReason(this.#destination) === null
  }

  /** None where a rate holds new deliveries back. */
  #freeSlotsIf(maySend: boolean): number {
    const { rateLimit, concurrency } = this.#destination
    return maySend && rateLimit === null ? this.#claims.freeSlots(concurrency) : 0
  }

  /** Only where a new delivery may be sent at once: nothing else is due. */
  #offerSlots(maySend: boolean): void {
    const { isClaiming } = this.#claims
    // The claim carries its own offer.
    if (isClaiming && maySend && this.#destination.rateLimit === null) return
    const isCaughtUp = !isClaiming && !this.#isClaimWanted && !this.#hasBacklog
    this.#offer.offer(this.#destination, isCaughtUp ? this.#freeSlotsIf(maySend) : 0)
  }

  #claimIfFree(): void {
    const { sendBlockedReason, onPause, now } = this.#options
    const slots = this.#claims.wantedSlots(this.#destination.concurrency)
    if (slots === 0) return
    const reason = sendBlockedReason(this.#destination)
    if (reason !== null) {
      this.#isClaimWanted = false
      onPause(this.#destination, reason)
      // Repeats the pause where it could not be written.
      return this.#timer.wakeAt(now() + CLAIM_RETRY_MS)
    }
    if (this.#health.circuitOpenedAt !== null) return this.#claimProbe()
    const wanted = this.#rates.wanted(slots)
    if (wanted.limit < 1) return this.#timer.wakeAt(this.#rates.nextAt())
    this.#claim(wanted).catch(this.#failed)
  }

  /** While the circuit is open, one delivery at a time finds out whether the destination is back. */
  #claimProbe(): void {
    if (!this.#claims.isEmpty) return
    const waitMs = this.#health.probes.waitMs()
    if (waitMs > 0) this.#timer.wakeAt(this.#options.now() + waitMs)
    else this.#claim({ limit: 1, backlogLimit: 1, freshSince: 0, ...this.#health.probes.take() }).catch(this.#failed)
  }

  async #claim(wanted: WantedClaim & Pick<ClaimRequest, 'isUntriedFirst'>): Promise<void> {
    const { store, now, log } = this.#options
    const { id: destinationId, name } = this.#destination
    const isProbe = this.#health.circuitOpenedAt !== null
    this.#claims.claimBegan()
    this.#isClaimWanted = false
    const at = now()
    const leaseUntil = at + leaseMsOf(this.#destination)
    try {
      const slots = this.#offer.behindClaim(this.#destination, this.#freeSlotsIf(this.#maySend))
      const request = { ...wanted, destinationId, now: at, leaseUntil, held: this.#claims.deliveryIds, slots }
      const claim = await store.claimDeliveries(request)
      this.#offer.took(claim.deliveries)
      this.#rates.claimed(claim)
      this.#hasBacklog = claim.hasBacklog
      this.#claims.add(claim, leaseUntil)
      // A claim that found nothing due was no probe: the next delivery that is due is the probe.
      if (isProbe && claim.deliveries.length === 0) this.#health.probes.soon()
      if (claim.deliveries.length === wanted.limit) this.#isClaimWanted = true
      else if (claim.hasBacklog) this.#timer.wakeAt(this.#rates.nextBacklogAt())
      if (claim.nextDueAt !== null) this.#timer.wakeAt(claim.nextDueAt)
    } catch (error) {
      log.error({ destination: name, error: messageOf(error) }, 'delivery.not_claimed')
      this.#timer.wakeAt(now() + CLAIM_RETRY_MS)
    }
    this.#claims.claimEnded()
    this.#offer.claimEnded()
    // The circuit may have opened during the claim: what was claimed for a healthy destination is no probe.
    if (!this.#isOpen || (this.#health.circuitOpenedAt !== null && !isProbe)) this.#releaseReady()
    this.#pump()
  }

  #begin({ delivery, leaseUntil }: ReadyDelivery): void {
    const { now, policy } = this.#options
    const at = now()
    // The rest of the lease is too short for a whole attempt. Released, the delivery is due at once.
    if (leaseUntil - at < this.#destination.timeoutMs) return this.#release([delivery])
    const tooOld =
      at - delivery.agesFrom > policy.maxAgeMs
        ? expired(delivery, policyFor(this.#destination, this.#options), at)
        : null
    if (tooOld !== null) {
      // Nothing was sent, so this was no probe.
      this.#health.probes.soon()
      return this.#record(delivery, tooOld)
    }
    this.#claims.attemptBegan()
    this.#send(delivery).catch((error: unknown) => {
      // The lease ends at its time; a delivery that is not forgotten would never be claimed again.
      this.#claims.forget(delivery)
      this.#failed(error)
    })
  }

  async #send(delivery: ClaimedDelivery): Promise<void> {
    const result = await this.#options.sender.send(delivery, this.#destination, this.#ending)
    this.#claims.attemptEnded()
    if (!result.aborted) this.#conclude(delivery, result)
    else if (result.hasBegun) this.#record(delivery, interrupted(delivery, result))
    else this.#release([delivery])
    this.#pump()
  }

  #conclude(delivery: ClaimedDelivery, result: AttemptResult): void {
    const { random, onPause, onAttempted } = this.#options
    this.#claims.measured(result.durationMs)
    onAttempted(result.durationMs)
    this.#health.attempted(delivery.deliveryId, result)
    const isCircuitOpen = this.#health.circuitOpenedAt !== null
    const policy = result.error === null ? this.#options.policy : policyFor(this.#destination, this.#options)
    const circumstances = { policy, random: random(), isCircuitOpen }
    this.#record(delivery, outcomeOf(delivery, result, circumstances))
    if (isGone(result)) onPause(this.#destination, forwardingText('gone'))
  }

  #circuitChanged(isOpen: boolean): void {
    if (isOpen) this.#releaseReady()
    else this.#rates.beginBacklog()
    this.#isClaimWanted = true
  }

  #record(delivery: ClaimedDelivery, outcome: AttemptOutcome): void {
    const { state } = outcome.result
    this.#attemptLog.attempted(delivery, this.#destination, outcome)
    if (state === 'exhausted') this.countExhausted(1)
    this.#claims.record(delivery, outcome, () => {
      if (outcome.result.state === 'pending') this.#timer.wakeAt(outcome.result.at)
      // The next delivery of its subject may be claimable now.
      const isSubjectFree = this.#destination.order === 'subject' && state !== 'pending'
      if (this.#claims.takeClaimedDue() || isSubjectFree) this.wake()
    })
  }

  #releaseReady(): void {
    this.#release(this.#claims.takeReady())
  }

  #release(deliveries: readonly ClaimedDelivery[]): void {
    if (deliveries.length === 0) return
    const released = this.#claims.release(deliveries).then((isReleased) => {
      this.#isClaimWanted ||= isReleased
      this.#pump()
    })
    released.catch(this.#failed)
  }
}
