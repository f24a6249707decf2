import type { ConsumerKey } from './consumer.ts'

/** What a destination is owed. */
export interface DestinationBacklog {
  readonly destination: string
  /** The client's id; null: the operator's. */
  readonly owner: string | null
  /** What waits for its time, replays with it. */
  readonly waiting: number
  /** Behind another delivery of its subject. */
  readonly blocked: number
  /** Subjects that an exhausted delivery holds. */
  readonly heldSubjects: number
  /** Since when the oldest of them is owed, or was last replayed; what a replay of many owes is not in it. null: nothing waits. */
  readonly oldestSince: number | null
}

/** How far a consumer is behind. */
export interface ConsumerLag extends ConsumerKey {
  /** Events behind its position; those that it does not ask for, too, until it takes its next batch. */
  readonly events: number
  /** When the first of them was received; null: there is none. */
  readonly oldestAt: number | null
}

/** What waits in the store for somebody. */
export interface StoreSnapshot {
  /** Of destinations that are active or paused. */
  readonly backlogs: readonly DestinationBacklog[]
  readonly lags: readonly ConsumerLag[]
  readonly quarantined: number
}

/** How the sending to a destination goes, and what came of it since the gateway started. */
export interface DestinationTotals {
  readonly destination: string
  /** As in Owed. */
  readonly owner: string | null
  readonly isPaused: boolean
  readonly isCircuitOpen: boolean
  /** Attempts under way. */
  readonly sending: number
  readonly delivered: number
  /** Attempts that failed, those with which a delivery was exhausted among them. */
  readonly failed: number
  /** Deliveries that ended so, also without an attempt. */
  readonly exhausted: number
}
