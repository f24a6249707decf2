import type { QuarantineReason } from './accounts.ts'
import type { DeliveryChoice, HandedDelivery } from './delivery.ts'
import type { EventAuthentication, EventSource, Fact, FactSpan, ListenerName, Mark, Peer } from './event.ts'
import type { Environment, Realm } from './realm.ts'
import type { RetentionGap } from './retention.ts'
import type { SearchQuery } from './search/search-query.ts'

export interface StoredCallback {
  /** null: it had no new fact, so it was not stored. */
  readonly callbackId: number | null
  /** Public ids of its new events. */
  readonly eventIds: readonly string[]
  /** The facts of the new events, in their order; left out: no new events. */
  readonly newFacts?: readonly Pick<Fact, 'kind' | 'subject' | 'status'>[]
  /** Left out: none. */
  readonly mark?: Mark
  readonly duplicates: number
  /** Public ids of its facts in quarantine, new or repeated; left out: none. */
  readonly quarantineIds?: readonly string[]
  /** Why, each reason once; left out: none is in quarantine. */
  readonly quarantineReasons?: readonly QuarantineReason[]
  /** Destinations with newly due deliveries, once per delivery. */
  readonly destinationIds: readonly number[]
  /** Deliveries that are claimed already: the caller sends them. Left out: none. */
  readonly handed?: readonly HandedDelivery[]
  /** Deliveries blocked by another one of their subject; left out: none. */
  readonly blocked?: number
  /** The job of its token: it waits now, whether this callback made it or joined it. Left out: it has no token to resolve. */
  readonly tokenId?: number
}

/** What one delivery of an event must fulfil; what is left out permits all. */
export interface DeliveryCondition {
  readonly states?: readonly DeliveryChoice[]
  /** Name or id of its destination, which may be removed. */
  readonly destination?: string
  /** Id of the client that owns its destination. */
  readonly owner?: string
}

export interface EventFilter {
  /** Only events after this position. */
  readonly after?: number
  /** Only events before this position. */
  readonly before?: number
  readonly newestFirst?: boolean
  readonly kinds?: readonly string[]
  readonly environment?: Environment
  /** Only events of this institution. */
  readonly institution?: string
  readonly subject?: string
  readonly status?: string
  /** Only events at these positions. */
  readonly positions?: readonly number[]
  readonly receivedFrom?: number
  readonly receivedTo?: number
  /** Only events with such a delivery. */
  readonly delivery?: DeliveryCondition
  /**
   * Only events that the search index finds for this query; needs `newestFirst`. Events that the index does not hold yet are skipped. A call works for a
   * bounded time, so a page may be short or empty although `more` is true.
   */
  readonly search?: SearchQuery
  /** Bytes of the payloads of a page, whose first event is always included. Default: 4 MiB. */
  readonly mostBytes?: number
  /** Removals announced up to this time were reported to the reader; left out: gaps are not looked for. */
  readonly gapsReportedAt?: number
}

/** What events have in common. */
export interface EventTraits {
  readonly kind: string
  readonly environment: Realm
  readonly status: string | null
}

/** The same for apps; `gateway`: the gateway created the event itself. */
export const VISIBLE_SOURCES = ['callback', 'resolved', 'reconciled', 'gateway'] as const

export function visibleSource({
  source,
  authentication,
}: Pick<EventRecord, 'source' | 'authentication'>): VisibleSource {
  if (source === 'resolved' || source === 'reconciled') return source
  return authentication === 'none' ? 'gateway' : 'callback'
}

export type VisibleSource = (typeof VISIBLE_SOURCES)[number]

export interface EventRecord {
  readonly position: number
  readonly id: string
  readonly kind: string
  readonly environment: Realm
  /** null: the gateway created the event itself. */
  readonly listener: ListenerName | null
  readonly authentication: EventAuthentication
  /** null: neither; the event came with its callback. */
  readonly source: EventSource | null
  readonly subject: string | null
  readonly status: string | null
  readonly mark: Mark | null
  readonly receivedAt: number
  readonly part: number
  readonly parts: number
  readonly duplicates: number
  readonly lastSeenAt: number | null
  /** null: the gateway created the event itself. */
  readonly callbackId: number | null
  /** When retention or a redaction removed its data; null: never. */
  readonly payloadRemovedAt: number | null
}

export interface EventWithBody extends EventRecord {
  readonly contentType: string | null
  /** The bytes of a delivery of this event. */
  readonly body: Uint8Array
}

/** Tells subjects apart: a payment and a charge may have one id, and so may two institutions. */
export interface SubjectKey {
  readonly kind: string
  readonly environment: Realm
  readonly subject: string
}

/** The events of a subject. */
export interface SubjectEvents {
  /** Of the newest events, newest first. */
  readonly positions: readonly number[]
  /** The first of them. */
  readonly events: readonly EventWithBody[]
}

export interface EventPage<T extends EventRecord = EventWithBody> {
  readonly events: readonly T[]
  /** Where the next page starts: after this position (newest first: before it). It is beyond the events that the filter skipped. */
  readonly next: number
  /** The search has not reached its end. It can be true for a short or empty page. */
  readonly more: boolean
  readonly removed: RetentionGap
}

/** Who sent a callback, how, and its exact content. An event of the gateway itself has a body only. That of a resolved event is its token's callback. */
export interface Evidence {
  readonly callbackId: number | null
  readonly kind: string
  readonly environment: Realm
  readonly listener: ListenerName | null
  readonly authentication: EventAuthentication
  readonly receivedAt: number
  readonly remoteAddress: string | null
  readonly target: string | null
  readonly tlsVersion: string | null
  readonly cipher: string | null
  readonly contentType: string | null
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Uint8Array
  /** When the body was emptied, or facts in it were blanked; null: it is as received. */
  readonly bodyRemovedAt: number | null
  readonly span: FactSpan | null
  readonly peer: Peer | null
}

/** An accepted callback that was answered. */
export interface CallbackOutcome {
  readonly kind: string
  readonly environment: Realm
  /** null: storing failed, and the answer was 503. */
  readonly kept: {
    readonly stored: StoredCallback
    readonly durationMs: number
    /** Later than its institution waits. */
    readonly isLate: boolean
  } | null
}

/** An event that the gateway itself has made. */
export interface RaisedWarning {
  readonly eventId: string
  /** As in StoredCallback. */
  readonly destinationIds: readonly number[]
}
