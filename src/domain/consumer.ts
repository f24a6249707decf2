/** Of one owner, and of all. */
export const CONSUMERS_PER_OWNER = 100
export const CONSUMER_LIMIT = 1000

/** A consumer's name is its owner's alone. */
export interface ConsumerKey {
  /** The client whose own it is; null: the operator's. */
  readonly owner: string | null
  readonly name: string
}

/** A named reader whose position is kept here. */
export interface Consumer extends ConsumerKey {
  /** Everything up to here is dealt with, or was passed over by the filter. */
  readonly position: number
  /** Removals announced up to then are known to it: when it was made, or moved last. */
  readonly gapsReportedAt: number
  /** What was lent out last and is not acknowledged; null: nothing. */
  readonly batch: BatchLease | null
  readonly createdAt: number
  readonly acknowledgedAt: number | null
}

/** Events behind a consumer's position that are lent to whoever asked; they come again unless they are acknowledged in time. */
export interface BatchLease {
  /** `bat_…`, never given twice. */
  readonly id: string
  /** The position up to which it reaches. */
  readonly end: number
  readonly expiresAt: number
}

/** What somebody looked at, from where the consumer stood then to where that look ended. */
export interface PositionRange {
  readonly after: number
  readonly end: number
  /** Removals announced up to then are known to whoever looked. */
  readonly gapsReportedAt: number
}

/** `elsewhere`: the consumer does not stand there any more, or another batch of its is out. `too many`: of this owner, or of all. */
export type LeaseResult = 'leased' | 'elsewhere' | 'too many'

/** `not out`: it never was, was acknowledged, has expired, or the consumer was moved. `outside`: the position is not in it. */
export type Acknowledgment = Consumer | 'not out' | 'outside'

/** The batch that is out now; null: none, or its time is over. */
export function currentLease({ batch }: Consumer, now: number): BatchLease | null {
  return batch !== null && batch.expiresAt > now ? batch : null
}

/** null: a good name. */
export function problemOfConsumerName(name: string): string | null {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(name)
    ? null
    : 'must be letters, digits, dots, hyphens and underscores, at most 63, and begin with a letter or a digit'
}
