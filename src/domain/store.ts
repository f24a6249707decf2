import type { Client, NewClient } from './client.ts'
import type { Acknowledgment, Consumer, ConsumerKey, Lending, LentBatch, Stretch } from './consumer.ts'
import type { Destination, DestinationSettings } from './destination.ts'
import type { DestinationChanges, SecretRotation } from './destination-changes.ts'
import type { Authentication, Environment, Fact, FactSpan, ListenerName, Mark, NewCallback, Peer } from './event.ts'
import type { EventHashes, EventProof } from './event-hash.ts'
import type { ExpiryWarning } from './expiry.ts'
import type { Decision, QuarantinedBody, QuarantinedFact, QuarantineFilter, ReleasedFact } from './quarantine.ts'
import type { RefusalBatch, RefusalFilter, RefusalPage, RefusalRecord } from './refusal.ts'
import type { NewRegistration, Registered } from './registration.ts'
import type {
  NewReplay,
  Replayable,
  ReplayChange,
  ReplayQuery,
  ReplayRecord,
  ReplaySearch,
  ReplayStep,
} from './replay.ts'
import type {
  Reach,
  Redacted,
  RedactionSearch,
  RedactionStep,
  Removable,
  Removal,
  RemovalSearch,
  Removed,
  RemovedBehind,
  SubjectFinds,
} from './retention.ts'
import type { Silence } from './silence.ts'
import type { Stock } from './stock.ts'

/** `blocked`: behind another delivery of its subject, at a destination with `order: subject`. */
export type DeliveryState = 'pending' | 'blocked' | 'delivered' | 'exhausted' | 'canceled'

export const DELIVERY_STATES: readonly DeliveryState[] = ['pending', 'blocked', 'delivered', 'exhausted', 'canceled']

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
}

export interface RaisedWarning {
  readonly eventId: string
  /** As in StoredCallback. */
  readonly destinationIds: readonly number[]
}

/** One delivery to be sent now, with everything that the sending needs. */
export interface ClaimedDelivery {
  readonly deliveryId: number
  readonly destinationId: number
  /** Number of this attempt, from 1; with the owner it fences every later write. */
  readonly attempt: number
  readonly stepsUsed: number
  /** When it was due. */
  readonly dueAt: number
  /** From when its age counts: when its event was received or released, or when it was last replayed. */
  readonly agesFrom: number
  /** It stands in the line of its subject, and holds it if it is exhausted at a destination with `onExhausted: hold`. */
  readonly isInLine: boolean
  /** It has a place of the backlog: it was due before `freshSince`, or a replay owes it, whenever it is due. */
  readonly isBacklog: boolean
  /** It is sent once more, or, where the destination has an order, behind a later one of its subject. */
  readonly isReplay: boolean
  readonly event: {
    readonly id: string
    readonly kind: string
    readonly environment: Environment
    readonly authentication: Authentication | 'none'
    readonly subject: string | null
    readonly status: string | null
    readonly receivedAt: number
    readonly part: number
    readonly parts: number
  }
  readonly contentType: string | null
  readonly body: Uint8Array
}

export interface ClaimRequest {
  readonly destinationId: number
  readonly limit: number
  readonly now: number
  /** Until when nobody else may claim them, in ms since the epoch. */
  readonly leaseUntil: number
  /** What is due since then goes before what was due earlier: new events before the backlog of a destination that was away. */
  readonly freshSince: number
  /** Of what was due before `freshSince` at most this many. */
  readonly backlogLimit: number
  /** Of the places so many are the backlog's, as far as it and `backlogLimit` go; default 0. */
  readonly backlogShare?: number
  /** What the claimer still has under way or has not recorded yet: it is not given out again, however long that takes. Default none. */
  readonly held?: readonly number[]
}

export interface ReleasedClaim {
  readonly deliveryId: number
  readonly attempt: number
  /** When it was due before it was claimed, and is again. */
  readonly dueAt: number
}

export interface Claim {
  /** Fewer than could be claimed where their bodies are large: what is left is due at `nextDueAt`, or the backlog's. */
  readonly deliveries: readonly ClaimedDelivery[]
  /** When the destination's next fresh delivery is due; null: none is waiting. */
  readonly nextDueAt: number | null
  /** Some of the backlog is still unclaimed; replays belong to it, behind the rest. */
  readonly hasBacklog: boolean
  /** Something that is held would be due, were it not held: claim again when it is on record. */
  readonly isHeldDue: boolean
}

/** How many deliveries ended because they were too old. */
export interface Exhausted {
  readonly count: number
  /** So many of them hold their subjects. */
  readonly holding: number
}

/** What became of an attempt. A failed attempt is an outcome, not an error. */
export interface AttemptOutcome {
  readonly deliveryId: number
  readonly attempt: number
  readonly startedAt: number
  readonly durationMs: number
  /** HTTP status, or null when no answer came. */
  readonly status: number | null
  /** What went wrong in words; null after a 2xx. */
  readonly error: string | null
  /** First bytes of the answer. */
  readonly answer: Uint8Array
  readonly result:
    | { readonly state: 'delivered' }
    | { readonly state: 'pending'; readonly at: number; readonly stepsUsed: number }
    | { readonly state: 'exhausted'; readonly reason: string }
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
  readonly told?: number
}

export interface EventRecord {
  readonly position: number
  readonly id: string
  readonly kind: string
  readonly environment: Environment
  /** null: the gateway made the event itself. */
  readonly listener: ListenerName | null
  readonly authentication: Authentication | 'none'
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
  readonly authentication: Authentication | 'none'
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

export interface DeliveryRecord {
  readonly deliveryId: number
  readonly eventId: string
  readonly kind: string
  readonly environment: Environment
  readonly subject: string | null
  readonly destinationId: number
  readonly destinationName: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly nextAttemptAt: number | null
  readonly createdAt: number
  readonly endedAt: number | null
  /** Why it ended as it did; null while it is pending or when it was delivered. */
  readonly reason: string | null
  readonly lastStatus: number | null
  readonly lastError: string | null
}

export interface DeliveryFilter {
  readonly state?: DeliveryState
  readonly destinationId?: number
  readonly position?: number
  /** Only of events about this business id. */
  readonly subject?: string
  /** Only deliveries with a larger number. */
  readonly after?: number
  /** Only deliveries with a smaller number. */
  readonly before?: number
  readonly newestFirst?: boolean
}

export interface AttemptRecord {
  readonly deliveryId: number
  readonly attempt: number
  readonly startedAt: number
  readonly durationMs: number
  readonly status: number | null
  readonly error: string | null
  readonly answer: Uint8Array
}

export interface Backlog {
  readonly destinationId: number
  readonly waiting: number
  readonly blocked: number
  /** When the oldest event that still waits was received. */
  readonly oldestAt: number | null
}

/** A caller's certificate, and when it called. */
export interface SeenPeer extends Peer {
  readonly environment: Environment
  readonly firstSeenAt: number
  /** To the hour. */
  readonly lastSeenAt: number
}

/** The certificate that a destination's server showed last. */
export interface DestinationCertificate {
  readonly destinationId: number
  /** Host and port at which it was seen: the destination's URL may name another one by now. */
  readonly host: string
  readonly fingerprint: string
  readonly subject: string
  readonly issuer: string
  readonly notAfter: number
}

export interface RotatedSecret {
  readonly secretHash: string
  readonly previousValidUntil: number | null
}

/** Everything that only looks. Each answer shows one committed moment. */
export interface StoreReader {
  listEvents(filter: EventFilter, limit: number): Promise<EventPage>
  /** The event and what it came from, or null. */
  getEvent(id: string): Promise<{ event: EventWithBody; evidence: Evidence; hashes: EventHashes } | null>
  /** What proves that the event is what was stored; null: there is none. Takes long where retention has removed very much directly in front of it. */
  getProof(id: string): Promise<EventProof | null>
  /** Position of the newest event, 0 when there is none. */
  latestPosition(): Promise<number>
  listDeliveries(filter: DeliveryFilter, limit: number): Promise<DeliveryRecord[]>
  /** The latest ones, oldest first. */
  listAttempts(deliveryId: number, limit: number): Promise<AttemptRecord[]>
  /** Deleted and retired ones only when `removed` is set. */
  listDestinations(options?: { removed?: boolean }): Promise<Destination[]>
  countBacklog(): Promise<Backlog[]>
  /** What waits for somebody: for `/metrics`, cheap also where a million deliveries wait. */
  takeStock(): Promise<Stock>
  /** Of the room that the database takes up, what holds nothing any more and is written again before it grows; in bytes. */
  reusableBytes(): Promise<number>
  /** The certificates of callers that called at `since` or later, the latest first. */
  listPeers(since: number): Promise<SeenPeer[]>
  /** When the last notification of a kind came, whatever became of it; null: none did. */
  lastHeard(kind: string, environment: Environment): Promise<number | null>
  /** Of destinations that are active or paused. */
  listDestinationCertificates(): Promise<DestinationCertificate[]>
  getConsumer(key: ConsumerKey): Promise<Consumer | null>
  /** Of all owners, those of one together. */
  listConsumers(): Promise<Consumer[]>
  /** Behind which the first event stands that was received at `time` or later. */
  positionAt(time: number): Promise<number>
  listRefusals(filter: RefusalFilter, limit: number): Promise<RefusalPage>
  getRefusal(id: number): Promise<RefusalRecord | null>
  listQuarantine(filter: QuarantineFilter, limit: number): Promise<QuarantinedFact[]>
  /** What is held back and what it came from, or null. */
  getQuarantined(id: number): Promise<{ fact: QuarantinedBody; evidence: Evidence } | null>
  /** Number of the newest refusal, 0 when there is none. */
  latestRefusal(): Promise<number>
  /** Oldest first; revoked ones only when `revoked` is set. */
  listClients(options?: { revoked?: boolean }): Promise<Client[]>
  /** Some of the events that a replay owes, in their order, at most `limit`: go on behind `next` until it is `upTo`. */
  findReplayable(search: ReplaySearch, limit: number): Promise<Replayable>
  /** Oldest first. */
  listReplays(query: ReplayQuery, limit: number): Promise<ReplayRecord[]>
  getReplay(id: number): Promise<ReplayRecord | null>
  /** Kinds of which callbacks are kept, also those that have left the configuration. */
  listStoredKinds(): Promise<string[]>
  /** The oldest callbacks that retention may take now: looks at `limit` of them at most. */
  findRemovable(search: RemovalSearch, limit: number): Promise<Removable>
  /** Some of what holds data of a subject: `limit` of each at most. */
  findSubject(search: RedactionSearch, limit: number): Promise<SubjectFinds>
  close(): Promise<void>
}

export interface DroppedAnswers {
  readonly dropped: number
  /** Where to go on; null: all attempts were looked at. */
  readonly next: number | null
}

/** How the writing is going, as far as it is known without asking whoever writes. */
export interface WriterPulse {
  /** What waits to be stored, also where it is being stored now. */
  readonly waitingEvents: number
  readonly waitingBytes: number
  /** For how long whoever writes has given no sign of life, although something waits for it; 0: nothing does. */
  readonly silentMs: number
}

/**
 * Everything that changes the store. One method is one whole transaction, committed to disk (fsync) before its promise is fulfilled;
 * no callback crosses this interface. Methods throw PortariaError `store_unavailable` when the disk fails or is full, and
 * `queue_full` when more is waiting than the configured bounds.
 */
export interface Store extends StoreReader {
  /** Stores the callback, its events and the deliveries they owe, and what of it is held back; only counts what is a duplicate, and what is held back already. */
  storeCallback(callback: NewCallback): Promise<StoredCallback>
  /** Gives due deliveries of one destination to this owner, until the lease ends and as long as it says that it holds them. */
  claimDeliveries(request: ClaimRequest): Promise<Claim>
  /**
   * Records attempts and what follows from them; an outcome whose claim is no longer held is ignored. Returns how many were not. Where an
   * operator skipped or retried the delivery meanwhile, the attempt is on record, and only `delivered` decides anything.
   */
  recordAttempts(outcomes: readonly AttemptOutcome[]): Promise<number>
  /** Gives back claims without an attempt, so that a shutdown uses no step. */
  releaseClaims(claims: readonly ReleasedClaim[]): Promise<void>
  /** Makes the file's destinations those of the configuration: adds, updates, retires. Pauses survive. */
  syncDestinations(configured: readonly DestinationSettings[], now: number): Promise<{ retired: string[] }>
  /**
   * @param owner the client whose own it is; left out: the operator's
   * @throws PortariaError `conflict` when the name is taken, there are 500 already, or 20 of this owner
   */
  createDestination(settings: DestinationSettings, now: number, owner?: string): Promise<Destination>
  /**
   * Makes the destination of a registration, unless there is one of the same owner, kinds and URL (as the WHATWG URL standard writes it): then
   * that one is returned and nothing is made.
   * @throws PortariaError `conflict` as `createDestination` does
   */
  registerDestination(settings: DestinationSettings, registration: NewRegistration, now: number): Promise<Registered>
  /**
   * Merges the changes into what is there at that moment. Where the order changes, what is owed already stands in line as the new one says.
   * @throws PortariaError `conflict` for a destination of the configuration file, a name that is taken, and another URL or other kinds of a
   * registration, `request_invalid` for what only the settings together get wrong
   */
  updateDestination(id: number, changes: DestinationChanges, now: number): Promise<Destination>
  /** @throws PortariaError `conflict` for a destination of the configuration file, or when it signs with that secret already */
  rotateSecret(id: number, rotation: SecretRotation): Promise<Destination>
  pauseDestination(id: number, reason: string): Promise<Destination>
  resumeDestination(id: number): Promise<Destination>
  /** @throws PortariaError `conflict` for a destination of the configuration file */
  deleteDestination(id: number): Promise<Destination>
  /** Opens or closes a destination's circuit. */
  setCircuit(id: number, openedAt: number | null): Promise<void>
  /** Due from the first step of the schedule: now, or when an attempt that is under way has failed. @throws PortariaError `not_found`, `conflict` */
  retryDelivery(deliveryId: number, now: number): Promise<{ destinationId: number }>
  /** Gives a delivery up, and lets its subject continue. @throws PortariaError `not_found`, `conflict` */
  skipDelivery(deliveryId: number, now: number): Promise<{ destinationId: number }>
  /** Owes an event once more, to one destination or to all that it was owed to; what still waits is left as it is. */
  replayEvent(
    eventId: string,
    destinationId: number | null,
    now: number,
  ): Promise<{ deliveryIds: number[]; destinationIds: number[] }>
  /** Running, or done where there is nothing to look at. @throws PortariaError `conflict` while as many run as may */
  createReplay(replay: NewReplay, now: number): Promise<ReplayRecord>
  /**
   * Owes what was found for one piece of a replay, each event behind everything live, and says in the same transaction how far it is; nothing
   * where it is not, or no more, at `from`. What waits meanwhile, or need not be owed any more, is left as it is.
   * @throws PortariaError `not_found`
   */
  advanceReplay(step: ReplayStep, now: number): Promise<ReplayChange>
  /**
   * Owes nothing more, and takes back what still waits: what had been delivered before is so again, the rest is canceled. A second time it
   * changes nothing. @throws PortariaError `not_found`; `conflict` for one that has ended otherwise, and of which nothing waits
   */
  cancelReplay(id: number, now: number): Promise<ReplayChange>
  /** Ends up to `limit` deliveries of a destination that have been due since before `dueBefore` as exhausted. */
  exhaustDeliveries(destinationId: number, dueBefore: number, limit: number, now: number): Promise<Exhausted>
  /** Cancels up to `limit` waiting deliveries of a removed destination; returns how many. */
  cancelDeliveries(destinationId: number, limit: number, now: number): Promise<number>
  /**
   * Keeps refusals, the newest of each address and of all, and marks what was the service's probe; returns how many were marked. Callbacks
   * go before: in a commit of its own, and `queue_full` as soon as many of them wait.
   */
  recordRefusals(batch: RefusalBatch): Promise<number>
  /** In place of what this destination's server showed before. */
  keepDestinationCertificate(certificate: DestinationCertificate, now: number): Promise<void>
  /**
   * Stores the event of a warning with the deliveries that it owes, and that the warning went out; null when this one or a lower one of the
   * same certificate and set had gone out before.
   */
  raiseExpiryWarning(warning: ExpiryWarning): Promise<RaisedWarning | null>
  /** The same for a kind that is silent; null when this silence was told of before. */
  raiseSilence(silence: Silence): Promise<RaisedWarning | null>
  /**
   * Makes what is held back an event, at the end and with the time at which it was received, owed to the destinations of now; or, where the
   * same fact has become an event meanwhile, counts it there. @throws PortariaError `not_found`; `conflict` when it is decided already
   */
  releaseQuarantined(id: number, decision: Decision): Promise<ReleasedFact>
  /** It never becomes an event. @throws as `releaseQuarantined` */
  discardQuarantined(id: number, decision: Decision): Promise<QuarantinedFact>
  /** @throws PortariaError `conflict` when the name is taken or there are 1,000 already */
  createClient(client: NewClient, now: number): Promise<Client>
  /**
   * Another secret; the one before counts until `previousValidUntil`. null: it counts no more, and neither do tokens that were given out for it.
   * @throws PortariaError `not_found`; `conflict` for a revoked one
   */
  rotateClient(id: string, secret: RotatedSecret, now: number): Promise<Client>
  /** For good; a second time it changes nothing. @throws PortariaError `not_found` */
  revokeClient(id: string, now: number): Promise<Client>
  /**
   * Lends out what stands in a stretch of events, or, without a batch, moves past it: nothing in it was asked for. Only where the consumer still
   * stands at its beginning and nothing else is lent out; makes the consumer that is not there yet, which stands at 0.
   */
  lendBatch(key: ConsumerKey, stretch: Stretch, batch: Omit<LentBatch, 'end'> | null, now: number): Promise<Lending>
  /** Moves past the batch that is out, or past a part of it: the rest comes again. @param upTo null: all of it */
  acknowledgeBatch(key: ConsumerKey, batchId: string, upTo: number | null, now: number): Promise<Acknowledgment>
  /** Moves it, and makes it where it is not there; what was lent out counts no more. null: there are too many. */
  seekConsumer(key: ConsumerKey, position: number, now: number): Promise<Consumer | null>
  /** False: it is not there. */
  deleteConsumer(key: ConsumerKey): Promise<boolean>
  /** The key that access tokens are signed with: the one that was kept first, whatever is offered later. */
  keepTokenKey(offered: string): Promise<string>
  /**
   * Says that retention is about to remove events up to there: whoever has not read them is told from now on. What is removed beyond it is
   * announced by its removal.
   */
  announceRemoval(reach: readonly Reach[], now: number): Promise<void>
  /**
   * Takes the data of these callbacks' events, or their rows with all that belongs to them. Whatever of it waits to be delivered stays. Callbacks
   * go before, and a power failure may undo it.
   */
  removeAged(removal: Removal, now: number): Promise<Removed>
  /** Takes a subject's data of these events and held facts, and from callbacks that were kept for something else; cancels what was owed of it. */
  redact(step: RedactionStep, now: number): Promise<Redacted>
  /** Moves the log into the database and empties it, so that nothing removed is left there; false: somebody is reading in it just now. */
  emptyLog(): Promise<boolean>
  /** Removes the oldest refusals, at most `limit`; returns how many. In a commit of its own, as `dropAnswers`. */
  dropRefusals(limit: number): Promise<number>
  /** Takes the destinations' answers from the record of attempts with larger numbers than `after`: looks at `limit` of them. */
  dropAnswers(after: number, limit: number): Promise<DroppedAnswers>
  pulse(): WriterPulse
}
