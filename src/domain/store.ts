import type { Client, NewClient } from './client.ts'
import type { ClockEvidence, ClockRecord } from './clock.ts'
import type { Acknowledgment, BatchLease, Consumer, ConsumerKey, LeaseResult, PositionRange } from './consumer.ts'
import type {
  AttemptOutcome,
  AttemptRecord,
  Backlog,
  Claim,
  ClaimRequest,
  DeliveryFilter,
  DeliveryRecord,
  Exhausted,
  ReleasedClaim,
} from './delivery.ts'
import type { Destination, DestinationSelection, DestinationSettings } from './destination.ts'
import type { DestinationChanges, SecretRotation } from './destination-changes.ts'
import type { Environment, NewCallback, Peer } from './event.ts'
import type { EventHashes, EventProof } from './event-hash.ts'
import type { EventFilter, EventPage, EventWithBody, Evidence, StoredCallback } from './event-record.ts'
import type { ExpiryWarning } from './expiry.ts'
import type { Inactivity } from './inactivity.ts'
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
  SubjectFinds,
} from './retention.ts'
import type { StoreSnapshot } from './store-snapshot.ts'

export interface RaisedWarning {
  readonly eventId: string
  /** As in StoredCallback. */
  readonly destinationIds: readonly number[]
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
  /** Those that are active or paused, and others as `options` says. */
  listDestinations(options?: DestinationSelection): Promise<Destination[]>
  countBacklog(): Promise<Backlog[]>
  /** What waits for somebody: for `/metrics`, cheap also where a million deliveries wait. */
  takeSnapshot(): Promise<StoreSnapshot>
  /** Of the room that the database takes up, what holds nothing any more and is written again before it grows; in bytes. */
  reusableBytes(): Promise<number>
  /** The certificates of callers that called at `since` or later, the latest first. */
  listPeers(since: number): Promise<SeenPeer[]>
  /** When the last notification of a kind came, whatever became of it; null: none did. */
  lastReceivedAt(kind: string, environment: Environment): Promise<number | null>
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
  /** What the database knows of the time that has passed. */
  readClock(): Promise<ClockEvidence>
  close(): Promise<void>
}

export interface ClearedResponseBodies {
  readonly cleared: number
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
  /**
   * Makes the file's destinations those of the configuration: adds, updates, retires. Pauses survive.
   * @param isStarting nobody waits for anything yet: however much is owed may be put in order
   * @throws PortariaError `conflict` as `updateDestination`, and where a command made one of that name
   */
  syncDestinations(
    configured: readonly DestinationSettings[],
    now: number,
    isStarting?: boolean,
  ): Promise<{ retired: string[] }>
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
   * @throws PortariaError `conflict` for a destination of the configuration file, a name that is taken, another URL or other kinds of a
   * registration, and another order while more than 50,000 deliveries wait, `request_invalid` for what only the settings together get wrong
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
  /**
   * Due from the first step of the schedule: now, when an attempt that is under way has failed, or (`isBlocked`) when another one of its subject
   * has ended. A later one of its subject that nobody has claimed waits behind it.
   * @throws PortariaError `not_found`, `conflict`
   */
  retryDelivery(deliveryId: number, now: number): Promise<{ destinationId: number; isBlocked: boolean }>
  /** Gives a delivery up, and lets its subject continue. @throws PortariaError `not_found`, `conflict` */
  skipDelivery(deliveryId: number, now: number): Promise<{ destinationId: number }>
  /** Owes an event once more, to one destination or to all that it was owed to; what still waits is left as it is (`leftIds`). */
  replayEvent(
    eventId: string,
    destinationId: number | null,
    now: number,
  ): Promise<{ deliveryIds: number[]; destinationIds: number[]; leftIds: number[] }>
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
  /** Keeps that the clock is plausible now, or since when it is not. */
  recordClock(clock: ClockRecord): Promise<void>
  /** In place of what this destination's server showed before. */
  keepDestinationCertificate(certificate: DestinationCertificate, now: number): Promise<void>
  /**
   * Stores the event of a warning with the deliveries that it owes, and that the warning went out; null when this one or a lower one of the
   * same certificate and set had gone out before.
   */
  raiseExpiryWarning(warning: ExpiryWarning): Promise<RaisedWarning | null>
  /** The same for a kind that is silent; null when this silence was told of before. */
  raiseInactivity(silence: Inactivity): Promise<RaisedWarning | null>
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
  leaseBatch(
    key: ConsumerKey,
    range: PositionRange,
    batch: Omit<BatchLease, 'end'> | null,
    now: number,
  ): Promise<LeaseResult>
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
  /**
   * Takes a subject's data of these events and held facts, and from some of the callbacks that were kept for something else (`hasRepeats` tells
   * whether there are more); cancels what was owed of it.
   */
  redact(step: RedactionStep, now: number): Promise<Redacted>
  /** Moves the log into the database and empties it, so that nothing removed is left there; false: somebody is reading in it just now. */
  checkpointWal(): Promise<boolean>
  /** Removes the oldest refusals, at most `limit`; returns how many. In a commit of its own, as `clearResponseBodies`. */
  dropRefusals(limit: number): Promise<number>
  /** Takes the destinations' answers from the record of attempts with larger numbers than `after`: looks at `limit` of them. */
  clearResponseBodies(after: number, limit: number): Promise<ClearedResponseBodies>
  pulse(): WriterPulse
}
