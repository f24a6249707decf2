import type { DeliveryState } from './delivery.ts'
import { type Destination, isSubscribed } from './destination.ts'
import { type EventSubscription, isMatch, type PublishedEvent } from './event-bus.ts'
import { numberedId } from './public-id.ts'

/**
 * `all`: every event that matches. `failed`: those whose delivery was exhausted or canceled. `missing`: those that were never delivered, be it
 * that they failed or that they were never owed. What still waits is left as it is in every mode.
 */
export const REPLAY_MODES = ['all', 'failed', 'missing'] as const
export type ReplayMode = (typeof REPLAY_MODES)[number]

/** `done`: everything is owed, though some of it may still wait. `failed`: its destination was removed meanwhile. */
export const REPLAY_STATES = ['running', 'done', 'canceled', 'failed'] as const
export type ReplayState = (typeof REPLAY_STATES)[number]

/** Each keeps the writer a little busy. */
export const REPLAYS_AT_ONCE = 5

/** Without kinds: all that the destination wants. */
export type ReplayFilter = EventSubscription

/** What is to be delivered once more, and where. */
export interface ReplayWish {
  readonly destinationId: number
  readonly mode: ReplayMode
  readonly filter: ReplayFilter
}

export interface ReplaySearch extends ReplayWish {
  /** Only events behind this position, up to that one. */
  readonly after: number
  readonly upTo: number
}

/** Positions of events, in their order. */
export interface Replayable {
  readonly positions: readonly number[]
  /** Everything up to here was looked at. */
  readonly next: number
}

export interface NewReplay extends ReplayWish {
  /** The client that asked for it; null: the operator. */
  readonly owner: string | null
  /** How many events there were to deliver when it was counted. */
  readonly matched: number
  /** Position of its last event: what comes later is owed anyway. */
  readonly upTo: number
}

export interface ReplayRecord extends NewReplay {
  readonly replayId: number
  readonly destinationName: string
  readonly state: ReplayState
  /** Why it failed; null: it did not. */
  readonly reason: string | null
  /** How many events it has made owed. */
  readonly requeued: number
  /** So many of them are not delivered yet. */
  readonly waiting: number
  /** Everything up to here is owed, or need not be. */
  readonly position: number
  readonly createdAt: number
  readonly endedAt: number | null
}

/** One piece of a replay. */
export interface ReplayStep {
  readonly replayId: number
  /** Its position when the piece was looked for: anywhere else the piece has been done already. */
  readonly from: number
  readonly to: number
  readonly positions: readonly number[]
}

/** What a step or a cancellation made of a replay. */
export interface ReplayChange {
  readonly replay: ReplayRecord
  /** Destinations that have something else to be sent now. */
  readonly destinationIds: readonly number[]
}

export interface ReplayQuery {
  /** Only replays with a larger number. */
  readonly after?: number
  readonly state?: ReplayState
  /** Only those that this client asked for. */
  readonly owner?: string
}

/** How an event fared at one destination. */
export interface PriorDelivery {
  readonly destinationId: number
  readonly state: DeliveryState
  /** Its last success, also if it is owed again; null: there was none. */
  readonly deliveredAt: number | null
}

/** Whether a destination wants such an event at all: a replay gives it nothing that it would not be owed. */
export function isReplayMatch(filter: ReplayFilter, destination: Destination, event: PublishedEvent): boolean {
  const kinds = filter.kinds ?? destination.kinds
  return isSubscribed(destination, event) && isMatch(kinds === null ? filter : { ...filter, kinds }, event)
}

/** @param priorDeliveries of the event at the destination and at those that stood in its place before */
export function isReplayed({ mode, destinationId }: ReplayWish, priorDeliveries: readonly PriorDelivery[]): boolean {
  if (priorDeliveries.some((prior) => prior.destinationId === destinationId && isWaiting(prior.state))) return false
  if (mode === 'all') return true
  if (priorDeliveries.some(({ deliveredAt }) => deliveredAt !== null)) return false
  return mode === 'missing' || priorDeliveries.some(({ state }) => state === 'exhausted' || state === 'canceled')
}

function isWaiting(state: DeliveryState): boolean {
  return state === 'pending' || state === 'blocked'
}

/** The wide log line of a replay. */
export function lineOfReplay(replay: ReplayRecord): object {
  return {
    replay: numberedId('rpl', replay.replayId),
    destination: replay.destinationName,
    mode: replay.mode,
    state: replay.state,
    reason: replay.reason ?? undefined,
    matched: replay.matched,
    owed: replay.requeued,
    askedBy: replay.owner ?? 'operator',
    durationMs: replay.endedAt === null ? undefined : replay.endedAt - replay.createdAt,
  }
}
