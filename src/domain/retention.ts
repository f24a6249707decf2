import type { Environment, Realm } from './realm.ts'

/** How long data is stored, counted from its receipt. */
export interface RetentionWindow {
  /** Request bodies, and the response bodies of destinations. */
  readonly payloadMs: number
  /** Events with their evidence, deliveries and attempts. Never shorter than `payloadMs`. */
  readonly metadataMs: number
}

/** The kind of the callback decides, so everything received in one callback is removed together. */
export interface Retention extends RetentionWindow {
  /** Kinds with different windows. */
  readonly kinds: Readonly<Record<string, RetentionWindow>>
}

export function windowOf({ kinds, payloadMs, metadataMs }: Retention, kind: string): RetentionWindow {
  return (Object.hasOwn(kinds, kind) ? kinds[kind] : undefined) ?? { payloadMs, metadataMs }
}

export function shortestWindowMs(retention: Retention): number {
  return Math.min(...[retention, ...Object.values(retention.kinds)].flatMap((one) => [one.payloadMs, one.metadataMs]))
}

export function longestMetadataMs({ metadataMs, kinds }: Retention): number {
  return Math.max(metadataMs, ...Object.values(kinds).map((window) => window.metadataMs))
}

export type RemovedPart = 'payload' | 'metadata'

/** Callbacks of one kind received before a time, in the order in which they were stored. */
export interface RemovalSearch {
  readonly part: RemovedPart
  readonly kind: string
  readonly before: number
  /** Where the search continues; null: at the oldest. */
  readonly after: AgePlace | null
}

export interface AgePlace {
  readonly receivedAt: number
  readonly callbackId: number
}

/** The callbacks that a search found. */
export interface Removable {
  readonly callbacks: readonly RemovableCallback[]
  /** Length of their request bodies that are still stored. */
  readonly bytes: number
  /** Callbacks that are old enough and stay: a delivery waits, or a fact was released from quarantine recently. */
  readonly kept: number
  /** For a removal of metadata: the positions to announce. */
  readonly reach: readonly RemovedThrough[]
  /** Where the next search continues; null: there is no more. */
  readonly next: AgePlace | null
}

export interface RemovableCallback {
  readonly callbackId: number
  readonly events: number
}

/** Retention removes, or has removed, events of a kind and environment up to this position. */
export interface RemovedThrough {
  readonly kind: string
  readonly environment: Realm
  readonly through: number
}

/** A part of a removal that one transaction performs. It checks each callback again. */
export interface Removal {
  readonly part: RemovedPart
  readonly before: number
  readonly callbackIds: readonly number[]
}

export interface Removed {
  readonly callbacks: number
  readonly events: number
  /** Length of the removed request bodies. */
  readonly bytes: number
  /** Destinations with newly due deliveries: the delivery that blocked their subject was removed. */
  readonly destinationIds: readonly number[]
  /** How long the transaction occupied the writer. */
  readonly tookMs: number
}

/** What retention has removed of the events that match a filter. */
export interface RetentionGap {
  /** Events after the reader's position were removed, and this was not reported to it. */
  readonly isMissed: boolean
  /** The last removed position; 0: none. */
  readonly through: number
  /** When the latest removal was announced: a report now covers all removals up to this time. */
  readonly announcedAt: number
}

/** Selects the data of one subject. */
export interface RedactionSearch {
  readonly subject: string
  /** null: every institution. */
  readonly institution: string | null
  /** null: both. */
  readonly environment: Environment | null
}

/** Where data of a subject is left. */
export interface SubjectFinds {
  /** Positions of events, newest first. */
  readonly positions: readonly number[]
  /** Numbers of facts that are or were in quarantine. */
  readonly quarantineIds: readonly number[]
  /** Bodies of other callbacks contain repeats of its facts, or it is one of the known subjects. */
  readonly hasRepeats: boolean
}

export interface RedactionStep extends RedactionSearch, Pick<SubjectFinds, 'positions' | 'quarantineIds'> {}

export interface Redacted {
  readonly events: number
  readonly quarantined: number
  /** Canceled deliveries. */
  readonly deliveryIds: readonly number[]
  readonly destinationIds: readonly number[]
}

/** Progress of a removal of all data that is old enough. */
export interface RemovalProgress {
  readonly state: 'running' | 'done' | 'failed' | 'stopped'
  /** Events whose data was removed. */
  readonly payloads: number
  /** Length of the removed request bodies. */
  readonly bytes: number
  /** Events whose rows were removed. */
  readonly events: number
  /** Callbacks whose rows were removed. */
  readonly callbacks: number
  /** As in Removable. */
  readonly kept: number
  /** Why the removal failed; null: it did not. */
  readonly problem: string | null
}

/** Removal on request. */
export interface Pruning {
  /** Starts a removal, now or after the one under way. */
  prune(): RemovalProgress
  /** Of the removal under way, or of the latest one; null: none. */
  progress(): RemovalProgress | null
  /** Counts what a removal would remove now. */
  count(): Promise<RemovalCount>
}

export type RemovalCount = Pick<RemovalProgress, 'payloads' | 'bytes' | 'events' | 'callbacks' | 'kept'>
