import type { AttemptOutcome, Claim, ClaimedDelivery, ReadyDelivery } from '../domain/delivery.ts'
import type { Destination } from '../domain/destination.ts'
import type { Store } from '../domain/store.ts'
import { messageOf } from '../platform/errors.ts'
import type { Log } from '../platform/log.ts'
import type { OutcomeBatcher } from './outcome-batcher.ts'
import { createPrefetch } from './prefetch.ts'

/*
 * What one destination's worker has claimed:
 *
 *   add ──▶ ready ── next ──▶ under way ── record ──▶ waits for the disk ──▶ forgotten
 *             │                   │
 *             └───── release ─────┴──▶ due again in the store ──▶ forgotten
 *
 * A delivery is named in every claim until it is forgotten, so that it is never claimed twice. New ones that are handed over during a claim are ready
 * behind those that it finds.
 */

export interface ClaimsWindowOptions {
  readonly store: Pick<Store, 'releaseClaims'>
  readonly outcomes: OutcomeBatcher
  /** The destination's name, for the log. */
  readonly destination: string
  readonly log: Log
}

const LEASE_SLACK_MS = 30_000

/** Length of a claim's lease. */
export function leaseMsOf({ timeoutMs }: Pick<Destination, 'timeoutMs'>): number {
  return timeoutMs + LEASE_SLACK_MS
}

/** Bodies of ready deliveries, in bytes, beyond which nothing more is claimed: each claim adds at most as much. */
const READY_BYTES = 4 * 1024 * 1024

export class ClaimsWindow {
  readonly #options: ClaimsWindowOptions
  readonly #prefetch = createPrefetch()
  #ready: ReadyDelivery[] = []
  #readyBytes = 0
  /** Handed over during the claim; null: no claim is under way. */
  #behindClaim: ReadyDelivery[] | null = null
  /** The attempt of each claimed delivery, by delivery id. */
  readonly #attempts = new Map<number, number>()
  #underWay = 0
  #releasing = 0
  /** The store would have given out a delivery that is claimed: it was retried, or its lease is over. */
  #isClaimedDue = false

  constructor(options: ClaimsWindowOptions) {
    this.#options = options
  }

  get underWay(): number {
    return this.#underWay
  }

  /** Nothing is ready and nothing is under way. */
  get isEmpty(): boolean {
    return this.#waiting === 0 && this.#underWay === 0
  }

  /** An attempt, a claim or a release has not ended. */
  get isBusy(): boolean {
    return this.#underWay > 0 || this.#releasing > 0 || this.isClaiming
  }

  get isClaiming(): boolean {
    return this.#behindClaim !== null
  }

  get #waiting(): number {
    return this.#ready.length + (this.#behindClaim?.length ?? 0)
  }

  get deliveryIds(): number[] {
    return [...this.#attempts.keys()]
  }

  /** How many more to claim now. 0 while more than half of the prefetched deliveries are ready, because each claim is a commit. */
  wantedSlots(concurrency: number): number {
    const prefetched = this.#prefetch.count(concurrency)
    if (this.#waiting > prefetched / 2 || this.#readyBytes > READY_BYTES) return 0
    return Math.max(0, concurrency + prefetched - this.#underWay - this.#waiting)
  }

  /** How many new deliveries may be claimed while they are stored, which needs no commit: so also a few. */
  freeSlots(concurrency: number): number {
    if (this.#readyBytes > READY_BYTES) return 0
    return Math.max(0, concurrency + this.#prefetch.count(concurrency) - this.#underWay - this.#waiting)
  }

  claimBegan(): void {
    this.#behindClaim = []
  }

  /** After `add`, or where the claim failed. */
  claimEnded(): void {
    this.#ready.push(...(this.#behindClaim ?? []))
    this.#behindClaim = null
  }

  add({ deliveries, isHeldDue }: Claim, leaseUntil: number): void {
    this.#isClaimedDue ||= isHeldDue
    for (const delivery of deliveries) this.#addTo(this.#ready, { delivery, leaseUntil })
  }

  handed(ready: ReadyDelivery): void {
    this.#addTo(this.#behindClaim ?? this.#ready, ready)
  }

  #addTo(list: ReadyDelivery[], ready: ReadyDelivery): void {
    this.#attempts.set(ready.delivery.deliveryId, ready.delivery.attempt)
    list.push(ready)
    this.#readyBytes += ready.delivery.body.length
  }

  next(): ReadyDelivery | undefined {
    const next = this.#ready.shift()
    if (next !== undefined) this.#readyBytes -= next.delivery.body.length
    return next
  }

  attemptBegan(): void {
    this.#underWay++
  }

  attemptEnded(): void {
    this.#underWay--
  }

  /** The prefetch follows the average duration of an attempt. */
  measured(durationMs: number): void {
    this.#prefetch.add(durationMs)
  }

  /** Calls back when the outcome is on disk and the delivery is forgotten. */
  record(delivery: ClaimedDelivery, outcome: AttemptOutcome, onRecorded: () => void): void {
    const forgetFirst = () => {
      this.forget(delivery)
      onRecorded()
    }
    this.#options.outcomes.record(outcome, forgetFirst, delivery.hasOrderKey)
  }

  /** Whether a claimed delivery became due, so that another claim is needed once it is recorded; false from then on. */
  takeClaimedDue(): boolean {
    const isDue = this.#isClaimedDue
    this.#isClaimedDue = false
    return isDue
  }

  forget({ deliveryId, attempt }: ClaimedDelivery): void {
    // A later attempt may be claimed already, in the commit that recorded or released this one.
    if (this.#attempts.get(deliveryId) === attempt) this.#attempts.delete(deliveryId)
  }

  takeReady(isTaken: (delivery: ClaimedDelivery) => boolean = () => true): ClaimedDelivery[] {
    const all = [...this.#ready, ...(this.#behindClaim ?? [])]
    const taken = new Set(all.filter(({ delivery }) => isTaken(delivery)))
    this.#ready = this.#ready.filter((one) => !taken.has(one))
    this.#behindClaim = this.#behindClaim?.filter((one) => !taken.has(one)) ?? null
    for (const { delivery } of taken) this.#readyBytes -= delivery.body.length
    return [...taken].map(({ delivery }) => delivery)
  }

  /** Gives claims back. @returns false when the store failed; then each lease ends at its time */
  async release(deliveries: readonly ClaimedDelivery[]): Promise<boolean> {
    const { store, destination, log } = this.#options
    for (const delivery of deliveries) this.forget(delivery)
    this.#releasing++
    try {
      await store.releaseClaims(deliveries.map(({ deliveryId, attempt, dueAt }) => ({ deliveryId, attempt, dueAt })))
      return true
    } catch (error) {
      log.warn({ destination, error: messageOf(error) }, 'delivery.not_released')
      return false
    } finally {
      this.#releasing--
    }
  }
}
