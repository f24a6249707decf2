import type { ConsumerKey, EventLag } from './consumer.ts'

/** The pending deliveries of a destination. */
export interface DestinationBacklog {
  readonly destination: string
  /** Id of the client that owns it; null: the operator. */
  readonly owner: string | null
  /** Deliveries that wait for their time, including replays. */
  readonly waiting: number
  /** Deliveries behind another one of their subject. */
  readonly blocked: number
  /** Subjects that an exhausted delivery blocks. */
  readonly heldSubjects: number
  /** When the oldest pending delivery was created or last replayed, in ms since 1970, without replays of many events; null: none is pending. */
  readonly oldestSince: number | null
}

/** How far a consumer is behind. Events that its filter leaves out count until it takes its next batch. */
export interface ConsumerLag extends ConsumerKey, EventLag {}

/** Counts from the store for metrics. */
export interface StoreSnapshot {
  /** Of destinations that are active or paused. */
  readonly backlogs: readonly DestinationBacklog[]
  readonly lags: readonly ConsumerLag[]
  readonly quarantined: number
  /** With kept sums: where the next search for the oldest pending delivery of a destination begins. */
  readonly searchedTo?: readonly { readonly destinationId: number; readonly id: number }[]
}

/** Sums that the writer keeps of a destination's deliveries, or of the quarantine. */
export interface KeptBacklog {
  /** `QUARANTINE`: the quarantine, whose facts are `waiting`. */
  readonly destinationId: number
  /** Pending and not claimed, replays included. */
  readonly waiting: number
  readonly blocked: number
  /** Exhausted deliveries that block their subject. */
  readonly held: number
  /** No delivery with a lower id waits, is blocked or holds its subject, except for replays; Infinity: none does. */
  readonly from: number
}

/** No destination has this id. */
export const QUARANTINE = 0

/** The state of sending to a destination, and its totals since the gateway started. */
export interface DestinationTotals {
  readonly destinationId: number
  readonly destination: string
  /** As in DestinationBacklog. */
  readonly owner: string | null
  readonly isPaused: boolean
  /** null: its circuit is closed. */
  readonly circuitOpenedAt: number | null
  /** It has taken nothing since a delivery failed. */
  readonly isFailing: boolean
  /** Attempts under way. */
  readonly sending: number
  readonly delivered: number
  /** Failed attempts, including those that exhausted their delivery. */
  readonly failed: number
  /** Exhausted deliveries, also those without an attempt. */
  readonly exhausted: number
}
