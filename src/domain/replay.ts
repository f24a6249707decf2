import type { DeliveryState } from './delivery.ts'
import { type Destination, type FilteredEvent, isSubscribed } from './destination.ts'
import { type EventSubscription, isMatch, type PublishedEvent } from './event-bus.ts'
import { numberedId, parseEventId } from './public-id.ts'

/**
 * `all`: every matching event. `failed`: matching events whose delivery was exhausted or canceled. `missing`: matching events that were never
 * delivered, whether their delivery failed or never existed. No mode changes a delivery that still waits.
 */
export const REPLAY_MODES = ['all', 'failed', 'missing'] as const
export type ReplayMode = (typeof REPLAY_MODES)[number]

/** `done`: all events are requeued, though some may still wait. `failed`: the destination was removed meanwhile. */
export const REPLAY_STATES = ['running', 'done', 'canceled', 'failed'] as const
export type ReplayState = (typeof REPLAY_STATES)[number]

/** The most running replays: each of them uses a little of the writer's time. */
export const REPLAYS_AT_ONCE = 5

/** Without kinds: all kinds of the destination. */
export interface ReplayFilter extends EventSubscription {
  /** Ids of the only events that it may take, at most EVENTS_OF_REPLAY. Left out: all. */
  readonly events?: readonly string[]
}

export const EVENTS_OF_REPLAY = 1000

/** The only positions that a replay may take, ascending; null: all. */
export function positionsOfReplay({ events }: ReplayFilter): readonly number[] | null {
  if (events === undefined) return null
  const positions = events.flatMap((id) => parseEventId(id)?.position ?? [])
  return positions.sort((one, other) => one - other)
}

/** Which events to deliver again, and where. */
export interface ReplayWish {
  readonly destinationId: number
  readonly mode: ReplayMode
  readonly filter: ReplayFilter
}

export interface ReplaySearch extends ReplayWish {
  /** Only events after `after`, up to and including `upTo`. */
  readonly after: number
  readonly upTo: number
}

/** In ascending order. */
export interface Replayable {
  readonly positions: readonly number[]
  /** How many more match, but wait for their delivery anyway, or for the record of an attempt: a replay leaves them out. */
  readonly leftOut: number
  /** The search has covered everything up to here. */
  readonly next: number
}

export interface NewReplay extends ReplayWish {
  /** Id of the client that requested it; null: the operator. */
  readonly owner: string | null
  /** Matching events, counted at its creation. */
  readonly matched: number
  /** As in `Replayable`, counted with them. */
  readonly leftOut: number
  /** Position of its last event: later events are queued without it. */
  readonly upTo: number
}

export interface ReplayRecord extends NewReplay {
  readonly replayId: number
  readonly destinationName: string
  readonly state: ReplayState
  /** Why it failed; null otherwise. */
  readonly reason: string | null
  /** Events requeued so far. */
  readonly requeued: number
  /** How many of them are not delivered yet. */
  readonly waiting: number
  /** All matching events up to here are requeued. */
  readonly position: number
  readonly createdAt: number
  readonly endedAt: number | null
}

/** A part of a replay that one transaction performs. */
export interface ReplayStep {
  readonly replayId: number
  /** The replay's position when the step was prepared. At another position the step was performed already. */
  readonly from: number
  readonly to: number
  readonly positions: readonly number[]
}

/** The replay after a step or a cancellation. */
export interface ReplayChange {
  readonly replay: ReplayRecord
  /** Destinations whose due deliveries have changed. */
  readonly destinationIds: readonly number[]
}

export interface ReplayCancellation extends ReplayChange {
  /** Deliveries of the replay that were claimed before it was canceled, and whose claims have not ended. */
  readonly claimedIds: readonly number[]
}

export interface ReplayQuery {
  /** Only replays with a larger number, newest first with a smaller one. */
  readonly after?: number
  readonly newestFirst?: boolean
  readonly state?: ReplayState
  /** Only replays that this client requested. */
  readonly owner?: string
}

/** An earlier delivery of an event. */
export interface PriorDelivery {
  readonly destinationId: number
  readonly state: DeliveryState
  /** The last success, kept when it is requeued; null: none. */
  readonly deliveredAt: number | null
}

/**
 * Whether the destination's own filters accept the event, too: a replay never widens them. One of origin `route` has no filters: the store leaves out
 * events that no route led to it.
 */
export function isReplayMatch(
  filter: ReplayFilter,
  destination: Destination,
  event: PublishedEvent & FilteredEvent,
): boolean {
  const kinds = filter.kinds ?? destination.kinds
  return (
    (destination.origin === 'route' || isSubscribed(destination, event)) &&
    isMatch(kinds === null ? filter : { ...filter, kinds }, event)
  )
}

/** @param priorDeliveries of the event, to the destination and to its removed predecessors */
export function isReplayed(wish: ReplayWish, priorDeliveries: readonly PriorDelivery[]): boolean {
  return isWanted(wish, priorDeliveries) && !isUnderWay(wish, priorDeliveries)
}

/** Its delivery still waits, or an attempt is not recorded yet: a replay that wants it leaves it out. @param priorDeliveries as for `isReplayed` */
export function isLeftOut(wish: ReplayWish, priorDeliveries: readonly PriorDelivery[]): boolean {
  return isWanted(wish, priorDeliveries) && isUnderWay(wish, priorDeliveries)
}

function isWanted({ mode }: ReplayWish, priorDeliveries: readonly PriorDelivery[]): boolean {
  if (mode === 'all') return true
  if (priorDeliveries.some(({ deliveredAt }) => deliveredAt !== null)) return false
  return mode === 'missing' || priorDeliveries.some(({ state }) => state === 'exhausted' || state === 'canceled')
}

function isUnderWay({ destinationId }: ReplayWish, priorDeliveries: readonly PriorDelivery[]): boolean {
  return priorDeliveries.some((prior) => prior.destinationId === destinationId && isWaiting(prior.state))
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
    leftOut: replay.leftOut,
    created: replay.requeued,
    askedBy: replay.owner ?? 'operator',
    durationMs: replay.endedAt === null ? undefined : replay.endedAt - replay.createdAt,
  }
}
