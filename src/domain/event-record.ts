import type { DeliveryState } from './delivery.ts'
import type { AuthenticationMethod, Environment, Fact, FactSpan, ListenerName, Mark, Peer } from './event.ts'
import type { RemovedBehind } from './retention.ts'

export interface StoredCallback {
  /** null when no fact of it was new: such a callback is not stored again. */
  readonly callbackId: number | null
  /** Public ids of the events it made. */
  readonly eventIds: readonly string[]
  /** What those events are, where they are not simply all the facts of the callback as they were given. */
  readonly made?: readonly Pick<Fact, 'kind' | 'subject' | 'status'>[]
  readonly duplicates: number
  /** Public ids of what of it is held back in quarantine, for the first time or once more; left out: nothing is. */
  readonly quarantineIds?: readonly string[]
  /** Destinations that have something new to be sent now, once for each delivery. */
  readonly destinationIds: readonly number[]
  /** Deliveries that stand behind another one of their subject; left out: none does. */
  readonly blocked?: number
}

export interface EventFilter {
  /** Only events behind this position. */
  readonly after?: number
  /** Only events before this position. */
  readonly before?: number
  readonly newestFirst?: boolean
  readonly kinds?: readonly string[]
  readonly environment?: Environment
  readonly subject?: string
  readonly status?: string
  readonly receivedFrom?: number
  readonly receivedTo?: number
  /** Only events with a delivery in this state. */
  readonly deliveryState?: DeliveryState
  /** Removals announced up to then are known to whoever asks; default none. */
  readonly gapsReportedAt?: number
}

export interface EventRecord {
  readonly position: number
  readonly id: string
  readonly kind: string
  readonly environment: Environment
  /** null: the gateway made the event itself. */
  readonly listener: ListenerName | null
  readonly authentication: AuthenticationMethod | 'none'
  readonly subject: string | null
  readonly status: string | null
  readonly mark: Mark | null
  readonly receivedAt: number
  readonly part: number
  readonly parts: number
  readonly duplicates: number
  readonly lastSeenAt: number | null
  /** null: it came in no callback. */
  readonly callbackId: number | null
  /** Since then its data is gone, by retention or by a redaction; null: it is there. */
  readonly payloadRemovedAt: number | null
}

export interface EventWithBody extends EventRecord {
  readonly contentType: string | null
  /** The bytes that a delivery of this event carries. */
  readonly body: Uint8Array
}

export interface EventPage<T extends EventRecord = EventWithBody> {
  readonly events: readonly T[]
  /** Position to go on after (newest first: before); moves past events that the filter skipped. */
  readonly next: number
  /** Not everything was looked at: there may be more behind this page, also where it is short, or empty. */
  readonly more: boolean
  readonly removed: RemovedBehind
}

/** Who sent a callback, how, and what exactly came; of an event that the gateway made itself its body alone. */
export interface Evidence {
  readonly callbackId: number | null
  readonly kind: string
  readonly environment: Environment
  readonly listener: ListenerName | null
  readonly authentication: AuthenticationMethod | 'none'
  readonly receivedAt: number
  readonly remoteAddress: string | null
  readonly target: string | null
  readonly tlsVersion: string | null
  readonly cipher: string | null
  readonly contentType: string | null
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Uint8Array
  /** Since then the body is not what came any more: it is empty, or some of its facts are blanks. null: it is. */
  readonly bodyRemovedAt: number | null
  readonly span: FactSpan | null
  readonly peer: Peer | null
}

/** A callback that was let in, and answered. */
export interface CallbackOutcome {
  readonly kind: string
  readonly environment: Environment
  /** null: it could not be stored, and was answered with 503. */
  readonly kept: { readonly stored: StoredCallback; readonly durationMs: number } | null
}
