import type { Environment } from './event.ts'

/** How long something is kept, from when it was received. */
export interface RetentionWindow {
  /** What was said: bodies, and what destinations answered to them. */
  readonly payloadMs: number
  /** That it was said: events with their evidence, their deliveries and attempts. Never shorter. */
  readonly metadataMs: number
}

/** By the kind of the callback: whatever came in one callback goes together. */
export interface Retention extends RetentionWindow {
  /** Kinds with windows of their own. */
  readonly kinds: Readonly<Record<string, RetentionWindow>>
}

export function windowOf({ kinds, payloadMs, metadataMs }: Retention, kind: string): RetentionWindow {
  return (Object.hasOwn(kinds, kind) ? kinds[kind] : undefined) ?? { payloadMs, metadataMs }
}

export function shortestWindowMs(retention: Retention): number {
  return Math.min(...[retention, ...Object.values(retention.kinds)].flatMap((one) => [one.payloadMs, one.metadataMs]))
}

export type RemovedPart = 'payload' | 'metadata'

/** Callbacks of one kind that were received before a time, in the order of their age. */
export interface RemovalSearch {
  readonly part: RemovedPart
  readonly kind: string
  readonly before: number
  /** Only behind this one; null: from the oldest. */
  readonly after: AgePlace | null
}

export interface AgePlace {
  readonly receivedAt: number
  readonly callbackId: number
}

/** What may go of a kind. */
export interface Removable {
  readonly callbacks: readonly RemovableCallback[]
  /** So many that are old enough stay: something of them waits to be delivered, or was released from quarantine not long ago. */
  readonly kept: number
  /** For the removal of metadata, up to where it reaches. */
  readonly reach: readonly Reach[]
  /** Where to go on; null: everything was looked at. */
  readonly next: AgePlace | null
}

export interface RemovableCallback {
  readonly callbackId: number
  readonly events: number
}

/** The largest position of a kind and environment among events that go. */
export interface Reach {
  readonly kind: string
  readonly environment: Environment
  readonly through: number
}

/** One piece of a removal: what was found is judged once more. */
export interface Removal {
  readonly part: RemovedPart
  readonly before: number
  readonly callbackIds: readonly number[]
}

export interface Removed {
  readonly callbacks: number
  readonly events: number
  /** Destinations that have something to be sent now: what held a subject is gone. */
  readonly destinationIds: readonly number[]
  /** For how long nothing else could be written. */
  readonly tookMs: number
}

/** What retention has removed of the kinds that somebody asks for. */
export interface RemovedBehind {
  /** Events behind the asker's position are gone, of which the asker was not told. */
  readonly isMissed: boolean
  /** No removed event stands behind this position; 0: none was removed. */
  readonly through: number
  /** When the latest removal was announced: whoever is told now need not be told of it again. */
  readonly announcedAt: number
}

/** Whose data is meant. */
export interface RedactionSearch {
  readonly subject: string
  /** null: both. */
  readonly environment: Environment | null
}

/** What still holds data of a subject. */
export interface SubjectFinds {
  /** Positions of events, the newest first. */
  readonly positions: readonly number[]
  /** Numbers of what is, or was, in quarantine. */
  readonly quarantineIds: readonly number[]
  /** There are bytes of what came again, in callbacks that were kept for something else. */
  readonly hasRepeats: boolean
}

export interface RedactionStep extends RedactionSearch, Pick<SubjectFinds, 'positions' | 'quarantineIds'> {}

export interface Redacted {
  readonly events: number
  readonly quarantined: number
  /** What was canceled: nothing of it is to be sent any more. */
  readonly deliveryIds: readonly number[]
  readonly destinationIds: readonly number[]
}

/** How far a removal of everything that is old enough is. */
export interface RemovalProgress {
  readonly state: 'running' | 'done' | 'failed' | 'stopped'
  /** Events whose data was removed. */
  readonly payloads: number
  /** Events whose rows were removed. */
  readonly events: number
  /** Callbacks that are old enough and stay: something of them waits to be delivered, or was released not long ago. */
  readonly kept: number
  /** Why it failed; null: it did not. */
  readonly problem: string | null
}

/** Removal on demand. */
export interface Pruning {
  /** Now, or as soon as the removal under way has ended. */
  prune(): RemovalProgress
  /** Of the removal under way, or else of the latest one; null: there was none. */
  progress(): RemovalProgress | null
  /** What would be removed now; removes nothing. */
  count(): Promise<RemovalCount>
}

export type RemovalCount = Pick<RemovalProgress, 'payloads' | 'events' | 'kept'>
