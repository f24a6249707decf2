/** The most consumers of one owner, and of all owners together. */
export const CONSUMERS_PER_OWNER = 100
export const CONSUMER_LIMIT = 1000

export const MAX_LEASE_MS = 3_600_000
/** A lease may end this much later than the longest one from now, because a clock that is set back a little ends no lease. */
const CLOCK_SLACK_MS = 300_000

/** Names are unique per owner. */
export interface ConsumerKey {
  /** Id of the client that owns it; null: the operator. */
  readonly owner: string | null
  readonly name: string
}

/** A named reader whose position the gateway stores. */
export interface Consumer extends ConsumerKey {
  /** Every event up to here was acknowledged, or its filter skipped it. */
  readonly position: number
  /** Removals announced up to this time were reported to it. */
  readonly gapsReportedAt: number
  /** The latest lease, unless it was acknowledged or canceled. It may have expired: see `currentLease`. */
  readonly batch: BatchLease | null
  readonly createdAt: number
  readonly acknowledgedAt: number | null
}

/** How far a position is behind. */
export interface EventLag {
  /** Positions after it that were assigned; 0: no event is left there. */
  readonly events: number
  /** When the first event after it was received, in ms since 1970; null: there is none. */
  readonly oldestAt: number | null
}

/** Events after a consumer's position that are leased to a caller. They are delivered again unless they are acknowledged in time. */
export interface BatchLease {
  /** `bat_…`, unique forever. */
  readonly id: string
  /** Its last position. */
  readonly end: number
  readonly expiresAt: number
}

/** The positions that were searched for a batch: from the consumer's position to the end of the search. */
export interface PositionRange {
  readonly after: number
  readonly end: number
  /** Removals announced up to this time were reported to the reader. */
  readonly gapsReportedAt: number
}

/** `elsewhere`: the consumer has moved, or has a lease already. `too many`: a limit of consumers is reached. */
export type LeaseResult = 'leased' | 'elsewhere' | 'too many'

/** `not out`: no such lease, acknowledged, expired, or canceled by a move. `outside`: the position is not in the batch. */
export type Acknowledgment = Consumer | 'not out' | 'outside'

/**
 * The lease that is valid now; null: none, or expired. One that ends later than any lease from now was given by a clock that was ahead: it would hold
 * the consumer's events until that time.
 */
export function currentLease({ batch }: Pick<Consumer, 'batch'>, now: number): BatchLease | null {
  if (batch === null || batch.expiresAt <= now) return null
  return batch.expiresAt - now <= MAX_LEASE_MS + CLOCK_SLACK_MS ? batch : null
}

/** null: the name is valid. */
export function problemOfConsumerName(name: string): string | null {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(name)
    ? null
    : 'must be letters, digits, dots, hyphens and underscores, at most 63, and begin with a letter or a digit'
}
