import type { Claim, ClaimRequest } from '../domain/delivery.ts'
import { createTokenBucket } from './token-bucket.ts'

/** One place in so many belongs to the backlog, however many fresh deliveries wait. */
const BACKLOG_PLACES = 8

export type WantedClaim = Pick<ClaimRequest, 'limit' | 'backlogLimit' | 'backlogShare' | 'freshSince'>

export interface ClaimRatesOptions {
  /** Deliveries a second; null: no bound. */
  readonly rateLimit: number | null
  /** Deliveries of the backlog a second; null: no bound. */
  readonly catchUpRate: number | null
  readonly now: () => number
}

/**
 * How many deliveries may be claimed now, and how many of them from the backlog: what was due before the gateway started, or before the
 * destination was active and reachable again.
 */
export interface ClaimRates {
  /** Not more than `slots`; a `limit` of 0: nothing before `nextAt`. */
  wanted(slots: number): WantedClaim
  claimed(claim: Claim): void
  /** A new delivery was claimed while it was stored. */
  handed(): void
  nextAt(): number
  nextBacklogAt(): number
  setRateLimit(rateLimit: number | null): void
  /** Deliveries that are due now become the backlog. Its rate starts without the burst that a rest would allow. */
  beginBacklog(): void
}

export function createClaimRates({ rateLimit, catchUpRate, now }: ClaimRatesOptions): ClaimRates {
  let rate = createTokenBucket(rateLimit, now)
  let backlogRate = createTokenBucket(catchUpRate, now)
  let freshSince = now()
  /** Fresh deliveries claimed since the backlog had its last place. */
  let freshInARow = 0

  return {
    wanted(slots) {
      const limit = Math.min(slots, rate.available())
      const backlogShare = Math.floor((freshInARow + limit) / BACKLOG_PLACES)
      return { limit, backlogLimit: backlogRate.available(), backlogShare, freshSince }
    },
    claimed({ deliveries, hasBacklog }) {
      const fromBacklog = deliveries.filter(({ isBacklog }) => isBacklog).length
      rate.take(deliveries.length)
      backlogRate.take(fromBacklog)
      const isTurnOver = fromBacklog > 0 || !hasBacklog
      freshInARow = isTurnOver ? 0 : Math.min(freshInARow + deliveries.length, BACKLOG_PLACES - 1)
    },
    handed() {
      rate.take(1)
      freshInARow = 0
    },
    nextAt: () => rate.nextAt(),
    nextBacklogAt: () => backlogRate.nextAt(),
    setRateLimit(next) {
      rate = createTokenBucket(next, now)
    },
    beginBacklog() {
      freshSince = now()
      backlogRate = createTokenBucket(catchUpRate, now)
    },
  }
}
