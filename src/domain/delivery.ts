import type { EventAuthentication, EventSource } from './event.ts'
import type { Realm } from './realm.ts'

/** `blocked`: behind another delivery of its subject, at a destination with `order: subject`. */
export type DeliveryState = 'pending' | 'blocked' | 'delivered' | 'exhausted' | 'canceled'

export const DELIVERY_STATES = ['pending', 'blocked', 'delivered', 'exhausted', 'canceled'] as const

/**
 * What people ask for beside the states. What has not ended is failing or waiting: `failing` is pending and its last attempt failed, `waiting` is any
 * other that is pending or blocked.
 */
export type DeliveryChoice = DeliveryState | 'failing' | 'waiting'

export const DELIVERY_CHOICES = [...DELIVERY_STATES, 'failing', 'waiting'] as const satisfies readonly DeliveryChoice[]

/** The word for a delivery, the same in every list. */
export function wordOf({
  state,
  lastError,
}: Pick<DeliveryRecord, 'state' | 'lastError'>): Exclude<DeliveryChoice, 'pending' | 'blocked'> {
  if (state === 'pending') return lastError === null ? 'waiting' : 'failing'
  return state === 'blocked' ? 'waiting' : state
}

/** How many deliveries of one event are in each state. */
export type DeliveryCounts = Readonly<Record<DeliveryState, number>> & {
  /** Of the pending ones. */
  readonly failing: number
}

export interface EventDeliveries {
  readonly position: number
  readonly counts: DeliveryCounts
}

export const NO_DELIVERIES: DeliveryCounts = {
  pending: 0,
  failing: 0,
  blocked: 0,
  delivered: 0,
  exhausted: 0,
  canceled: 0,
}

/** A delivery to be sent now, with everything needed for it. */
export interface ClaimedDelivery {
  readonly deliveryId: number
  readonly destinationId: number
  /** Number of this attempt, from 1. With the writer epoch it fences every later write. */
  readonly attempt: number
  readonly retriesUsed: number
  /** When it was due. */
  readonly dueAt: number
  /** The start of its age: when its event was received or released, or when it was last replayed. */
  readonly agesFrom: number
  /** It has an order key: if it is exhausted at a destination with `onExhausted: hold`, later deliveries of its subject stay blocked. */
  readonly hasOrderKey: boolean
  /** It counts as backlog: it was due before `freshSince`, or belongs to a replay. */
  readonly isBacklog: boolean
  /** It was delivered before, or, at an ordered destination, a later event of its subject was. */
  readonly isReplay: boolean
  readonly event: {
    readonly id: string
    readonly kind: string
    readonly environment: Realm
    readonly authentication: EventAuthentication
    /** As in EventRecord. */
    readonly source: EventSource | null
    readonly subject: string | null
    readonly status: string | null
    readonly receivedAt: number
    readonly part: number
    readonly parts: number
  }
  readonly contentType: string | null
  /** The CDN-Loop header of its callback (RFC 8586), if any. */
  readonly loop?: string
  readonly body: Uint8Array
}

/** A claimed delivery that waits for its attempt. */
export interface ReadyDelivery {
  readonly delivery: ClaimedDelivery
  readonly leaseUntil: number
}

/** How many new deliveries of a destination may be claimed while their callbacks are stored. */
export interface DeliverySlots {
  readonly destinationId: number
  /** In slots: see `slotsOf`. */
  readonly count: number
  /**
   * Slots of all deliveries that the worker of the destination has got so far, claimed or handed over: those on their way to it are counted, too.
   * Infinity: the worker has ended.
   */
  readonly taken: number
  /** Length of each lease. */
  readonly leaseMs: number
}

const SLOT_BYTES = 16 * 1024

/** How many slots a delivery takes: large bodies take several, because those that wait for their attempt are in memory. */
export function slotsOf(bodyBytes: number): number {
  return Math.max(1, Math.ceil(bodyBytes / SLOT_BYTES))
}

export function slotsOfAll(deliveries: readonly ClaimedDelivery[]): number {
  return deliveries.reduce((sum, { body }) => sum + slotsOf(body.length), 0)
}

/** A delivery that was claimed while its callback was stored: its first attempt can begin without a claim. */
export interface HandedDelivery {
  readonly deliveryId: number
  readonly destinationId: number
  /** As in ClaimedDelivery. */
  readonly hasOrderKey: boolean
  readonly leaseUntil: number
}

export interface ClaimRequest {
  readonly destinationId: number
  readonly limit: number
  readonly now: number
  /** End of the lease: until then the claimed deliveries are not claimed again. */
  readonly leaseUntil: number
  /** Deliveries due since then come first: new events before the backlog of a destination that was unavailable. */
  readonly freshSince: number
  /** The most deliveries that were due before `freshSince`. */
  readonly backlogLimit: number
  /** Places reserved for the backlog, within `backlogLimit`; default 0. */
  readonly backlogShare?: number
  /** Claim only the newest delivery without an attempt, if there is one. Default false. */
  readonly isUntriedFirst?: boolean
  /** Deliveries that the caller still sends or has not recorded yet. Their leases are renewed. Default none. */
  readonly held?: readonly number[]
  /** As in Store.offerSlots, from the end of this claim on: for the slots that it leaves, if it leaves nothing that is due. Default none. */
  readonly slots?: DeliverySlots
}

export interface ReleasedClaim {
  readonly deliveryId: number
  readonly attempt: number
  /** When it was due before the claim, which becomes its due time again. */
  readonly dueAt: number
}

export interface Claim {
  /** Fewer than due if their bodies are large; then `nextDueAt` or `hasBacklog` says that more are left. */
  readonly deliveries: readonly ClaimedDelivery[]
  /** When the next fresh delivery is due; null: none waits. */
  readonly nextDueAt: number | null
  /** Some of the backlog, replays included, is unclaimed. */
  readonly hasBacklog: boolean
  /** A lease was renewed of a delivery that was due: claim again when its outcome is recorded. */
  readonly isHeldDue: boolean
}

/** Deliveries that ended because they were too old. */
export interface Exhausted {
  readonly count: number
  /** How many of them block their subjects. */
  readonly holding: number
}

/** The result of an attempt. A failed attempt is an outcome, not an error. */
export interface AttemptOutcome {
  readonly deliveryId: number
  readonly attempt: number
  readonly startedAt: number
  readonly durationMs: number
  /** HTTP status; null: no response. */
  readonly status: number | null
  /** The failure as a text; null after a 2xx. */
  readonly error: string | null
  /** First bytes of the response body. */
  readonly answer: Uint8Array
  readonly result:
    | { readonly state: 'delivered' }
    | { readonly state: 'pending'; readonly at: number; readonly retriesUsed: number }
    | { readonly state: 'exhausted'; readonly reason: string }
}

/** What an unfinished delivery waits for, apart from its time: an earlier one of its subject, an operator who resumes its destination, or its circuit. */
export const DELIVERY_WAITS = ['subject', 'resume', 'circuit'] as const
export type DeliveryWait = (typeof DELIVERY_WAITS)[number]

export interface DeliveryRecord {
  readonly deliveryId: number
  readonly eventId: string
  readonly kind: string
  readonly environment: Realm
  readonly subject: string | null
  readonly destinationId: number
  readonly destinationName: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly nextAttemptAt: number | null
  readonly waitsFor: DeliveryWait | null
  readonly createdAt: number
  readonly endedAt: number | null
  /** Why it was exhausted or canceled; null in other states. */
  readonly reason: string | null
  readonly lastStatus: number | null
  readonly lastError: string | null
  /** First bytes of the latest attempt's response body; null: none. */
  readonly lastAnswer: Uint8Array | null
}

export interface DeliveryFilter {
  readonly state?: DeliveryChoice
  readonly destinationId?: number
  readonly position?: number
  /** Only deliveries of the events at these positions. */
  readonly positions?: readonly number[]
  /** Only deliveries of events about this subject. */
  readonly subject?: string
  /** Only deliveries created at this time or later. */
  readonly createdFrom?: number
  /** Only deliveries created before this time. */
  readonly createdTo?: number
  /** Only deliveries with a larger number. */
  readonly after?: number
  /** Only deliveries with a smaller number. */
  readonly before?: number
  readonly newestFirst?: boolean
}

/** A recorded attempt. */
export type AttemptRecord = Omit<AttemptOutcome, 'result'>

export interface Backlog {
  readonly destinationId: number
  readonly waiting: number
  readonly blocked: number
  /** When the oldest waiting event was received. */
  readonly oldestAt: number | null
}
