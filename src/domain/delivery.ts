import type { AuthenticationMethod, Environment } from './event.ts'

/** `blocked`: behind another delivery of its subject, at a destination with `order: subject`. */
export type DeliveryState = 'pending' | 'blocked' | 'delivered' | 'exhausted' | 'canceled'

export const DELIVERY_STATES: readonly DeliveryState[] = ['pending', 'blocked', 'delivered', 'exhausted', 'canceled']

/** One delivery to be sent now, with everything that the sending needs. */
export interface ClaimedDelivery {
  readonly deliveryId: number
  readonly destinationId: number
  /** Number of this attempt, from 1; with the owner it fences every later write. */
  readonly attempt: number
  readonly retriesUsed: number
  /** When it was due. */
  readonly dueAt: number
  /** From when its age counts: when its event was received or released, or when it was last replayed. */
  readonly agesFrom: number
  /** It stands in the line of its subject, and holds it if it is exhausted at a destination with `onExhausted: hold`. */
  readonly isInLine: boolean
  /** It has a place of the backlog: it was due before `freshSince`, or a replay owes it, whenever it is due. */
  readonly isBacklog: boolean
  /** It is sent once more, or, where the destination has an order, behind a later one of its subject. */
  readonly isReplay: boolean
  readonly event: {
    readonly id: string
    readonly kind: string
    readonly environment: Environment
    readonly authentication: AuthenticationMethod | 'none'
    readonly subject: string | null
    readonly status: string | null
    readonly receivedAt: number
    readonly part: number
    readonly parts: number
  }
  readonly contentType: string | null
  /** The CDN-Loop that its callback came with, if any. */
  readonly loop?: string
  readonly body: Uint8Array
}

export interface ClaimRequest {
  readonly destinationId: number
  readonly limit: number
  readonly now: number
  /** Until when nobody else may claim them, in ms since the epoch. */
  readonly leaseUntil: number
  /** What is due since then goes before what was due earlier: new events before the backlog of a destination that was away. */
  readonly freshSince: number
  /** Of what was due before `freshSince` at most this many. */
  readonly backlogLimit: number
  /** Of the places so many are the backlog's, as far as it and `backlogLimit` go; default 0. */
  readonly backlogShare?: number
  /** In place of all this: the latest one that was never tried, if there is any. Default false. */
  readonly isUntriedFirst?: boolean
  /** What the claimer still has under way or has not recorded yet: it is not given out again, however long that takes. Default none. */
  readonly held?: readonly number[]
}

export interface ReleasedClaim {
  readonly deliveryId: number
  readonly attempt: number
  /** When it was due before it was claimed, and is again. */
  readonly dueAt: number
}

export interface Claim {
  /** Fewer than could be claimed where their bodies are large: what is left is due at `nextDueAt`, or the backlog's. */
  readonly deliveries: readonly ClaimedDelivery[]
  /** When the destination's next fresh delivery is due; null: none is waiting. */
  readonly nextDueAt: number | null
  /** Some of the backlog is still unclaimed; replays belong to it, behind the rest. */
  readonly hasBacklog: boolean
  /** Something that is held would be due, were it not held: claim again when it is on record. */
  readonly isHeldDue: boolean
}

/** How many deliveries ended because they were too old. */
export interface Exhausted {
  readonly count: number
  /** So many of them hold their subjects. */
  readonly holding: number
}

/** What became of an attempt. A failed attempt is an outcome, not an error. */
export interface AttemptOutcome {
  readonly deliveryId: number
  readonly attempt: number
  readonly startedAt: number
  readonly durationMs: number
  /** HTTP status, or null when no answer came. */
  readonly status: number | null
  /** What went wrong in words; null after a 2xx. */
  readonly error: string | null
  /** First bytes of the answer. */
  readonly answer: Uint8Array
  readonly result:
    | { readonly state: 'delivered' }
    | { readonly state: 'pending'; readonly at: number; readonly retriesUsed: number }
    | { readonly state: 'exhausted'; readonly reason: string }
}

export interface DeliveryRecord {
  readonly deliveryId: number
  readonly eventId: string
  readonly kind: string
  readonly environment: Environment
  readonly subject: string | null
  readonly destinationId: number
  readonly destinationName: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly nextAttemptAt: number | null
  readonly createdAt: number
  readonly endedAt: number | null
  /** Why it ended as it did; null while it is pending or when it was delivered. */
  readonly reason: string | null
  readonly lastStatus: number | null
  readonly lastError: string | null
}

export interface DeliveryFilter {
  readonly state?: DeliveryState
  readonly destinationId?: number
  readonly position?: number
  /** Only of events about this business id. */
  readonly subject?: string
  /** Only deliveries with a larger number. */
  readonly after?: number
  /** Only deliveries with a smaller number. */
  readonly before?: number
  readonly newestFirst?: boolean
}

/** An attempt as it is on record. */
export type AttemptRecord = Omit<AttemptOutcome, 'result'>

export interface Backlog {
  readonly destinationId: number
  readonly waiting: number
  readonly blocked: number
  /** When the oldest event that still waits was received. */
  readonly oldestAt: number | null
}
