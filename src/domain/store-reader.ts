import type { ActionReads } from './actions/action.ts'
import type { AlarmReads } from './alarms/alarm-store.ts'
import type { Client } from './client.ts'
import type { ClockEvidence } from './clock.ts'
import type { Consumer, ConsumerKey, EventLag } from './consumer.ts'
import type { AttemptRecord, Backlog, DeliveryFilter, DeliveryRecord, EventDeliveries } from './delivery.ts'
import type { Destination, DestinationSelection } from './destination.ts'
import type { Peer } from './event.ts'
import type { EventHashes, EventProof } from './event-hash.ts'
import type {
  EventFilter,
  EventPage,
  EventTraits,
  EventWithBody,
  Evidence,
  SubjectEvents,
  SubjectKey,
} from './event-record.ts'
import type { NodeRecord } from './nodes/node.ts'
import type { HourSumReads } from './overview/hour-sums.ts'
import type { QuarantinedBody, QuarantinedFact, QuarantineFilter } from './quarantine.ts'
import type { Realm } from './realm.ts'
import type { ReconcileReads } from './reconcile/reconcile-store.ts'
import type { RefusalFilter, RefusalPage, RefusalRecord } from './refusal.ts'
import type { Replayable, ReplayQuery, ReplayRecord, ReplaySearch } from './replay.ts'
import type { RedactionSearch, Removable, RemovalSearch, SubjectFinds } from './retention.ts'
import type { SearchState } from './search/search-index.ts'
import type { SearchSettings } from './search/search-work.ts'
import type { ChargeRouteReads } from './service/charge-route.ts'
import type { NotificationTokenReads } from './service/notification-token.ts'
import type { StoreSnapshot } from './store-snapshot.ts'

/** The peer certificate of a caller, and when it was used. */
export interface SeenPeer extends Peer {
  readonly environment: Realm
  readonly firstSeenAt: number
  /** Of one of its calls in the hour before the latest one. */
  readonly lastSeenAt: number
}

/** The latest certificate of a destination's server. */
export interface DestinationCertificate {
  readonly destinationId: number
  /** Host and port that presented it. The destination's URL may have changed since. */
  readonly host: string
  readonly fingerprint: string
  readonly subject: string
  readonly issuer: string
  readonly notBefore: number
  readonly notAfter: number
}

/**
 * All reads. Each answer shows one committed state of the database. Reads throw PortariaError `store_unavailable` when the database cannot be read.
 *
 * A new method takes three changes: its declaration here, its query, and one line in the table of the store that implements it.
 */
export interface StoreReader
  extends NotificationTokenReads,
    ChargeRouteReads,
    ActionReads,
    ReconcileReads,
    HourSumReads,
    AlarmReads {
  // Events
  listEvents(filter: EventFilter, limit: number): Promise<EventPage>
  /** The events of each subject, newest first: at most `limit` of them with their payloads, fewer where these are long. */
  listSubjectEvents(keys: readonly SubjectKey[], limit: number): Promise<SubjectEvents[]>
  /** The event with the evidence of its callback; null: not found. */
  getEvent(id: string): Promise<{ event: EventWithBody; evidence: Evidence; hashes: EventHashes } | null>
  /**
   * The values, hashes and predecessor that prove an event unchanged since it was stored; null: not found.
   * Slow where retention has removed very many events directly before this one.
   */
  getProof(id: string): Promise<EventProof | null>
  /**
   * At most `limit` distinct traits of the events after a position, of some before it, and of those that retention removed. Reads summaries: about
   * 50 ms for a million events.
   */
  listEventTraits(after: number, limit: number): Promise<EventTraits[]>
  /** Position of the newest event; 0: none. */
  latestPosition(): Promise<number>
  /** The position directly before the first event received at `time` or later. */
  positionAt(time: number): Promise<number>
  /** Kinds of all stored callbacks, including kinds that are no longer configured. */
  listStoredKinds(): Promise<string[]>
  /** When the latest callback of a kind was received, also if it was a duplicate, is in quarantine, or its token waits; null: never. */
  lastReceivedAt(kind: string, environment: Realm): Promise<number | null>
  /** Peer certificates of callers since `since`, the latest first. */
  listPeers(since: number): Promise<SeenPeer[]>

  // Quarantine
  listQuarantine(filter: QuarantineFilter, limit: number): Promise<QuarantinedFact[]>
  /** The fact with the evidence of its callback; null: not found. */
  getQuarantined(id: number): Promise<{ fact: QuarantinedBody; evidence: Evidence } | null>

  // Destinations and deliveries
  /** Active and paused destinations, and those that `options` adds. */
  listDestinations(options?: DestinationSelection): Promise<Destination[]>
  /** Certificates of active and paused destinations. */
  listDestinationCertificates(): Promise<DestinationCertificate[]>
  listDeliveries(filter: DeliveryFilter, limit: number): Promise<DeliveryRecord[]>
  /**
   * The deliveries of the events at these positions, in the order of the positions; an event without deliveries has only zeros.
   * @param destinationIds counts only deliveries to these
   */
  countEventDeliveries(positions: readonly number[], destinationIds?: readonly number[]): Promise<EventDeliveries[]>
  /** The latest `limit` attempts, oldest first. */
  listAttempts(deliveryId: number, limit: number): Promise<AttemptRecord[]>
  /** Pending and blocked deliveries of each destination that has any. */
  countBacklog(): Promise<Backlog[]>

  // Replays
  /** Oldest first, unless the query says otherwise. */
  listReplays(query: ReplayQuery, limit: number): Promise<ReplayRecord[]>
  getReplay(id: number): Promise<ReplayRecord | null>
  /** At most `limit` events that a replay has to requeue, in order. Continue after `next` until it equals `upTo`. */
  findReplayable(search: ReplaySearch, limit: number): Promise<Replayable>

  // Consumers
  getConsumer(key: ConsumerKey): Promise<Consumer | null>
  /** By owner, then by name. */
  listConsumers(): Promise<Consumer[]>
  /** How far each position is behind. */
  listLags(positions: readonly number[]): Promise<EventLag[]>

  // Refused callers
  listRefusals(filter: RefusalFilter, limit: number): Promise<RefusalPage>
  getRefusal(id: number): Promise<RefusalRecord | null>
  /** Number of the newest refusal; 0: none. */
  latestRefusal(): Promise<number>

  // API clients
  /** Oldest first, without revoked clients unless `revoked` is set. */
  listClients(options?: { revoked?: boolean }): Promise<Client[]>

  // Retention
  /** The oldest callbacks that retention may remove now, among the `limit` oldest. */
  findRemovable(search: RemovalSearch, limit: number): Promise<Removable>
  /** Data of a subject: at most `limit` events, quarantined facts and repeats each. */
  findSubject(search: RedactionSearch, limit: number): Promise<SubjectFinds>

  // The search index
  /** How far the index is behind the events. Reads summaries only, and counts the events that are not in it yet. */
  readSearchState(now: number): Promise<SearchState>
  /** The settings that the index is made with, and is being made again with. */
  readSearchSettings(): Promise<SearchSettings>

  // Nodes
  /** By name, then by age. Empty: one process alone uses the database. */
  listNodes(): Promise<NodeRecord[]>

  // The database itself
  /** Backlogs and lags for `/metrics`. Where the store keeps no sums, it counts: 0.1 s for a million waiting deliveries. */
  takeSnapshot(): Promise<StoreSnapshot>
  /** Bytes of free pages inside the database file, which are used before the file grows. Only of a database that is a file. */
  reusableBytes?(): Promise<number>
  /** Times on record, by which a start judges the system clock. */
  readClock(): Promise<ClockEvidence>
  /** Reads under way still get their answers; later ones fail with `store_unavailable`. */
  close(): Promise<void>
}
