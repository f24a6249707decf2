import type { ActionWrites } from './actions/action.ts'
import type { AlarmWrites } from './alarms/alarm-store.ts'
import type { Client, NewClient } from './client.ts'
import type { ClockRecord } from './clock.ts'
import type { Acknowledgment, BatchLease, Consumer, ConsumerKey, LeaseResult, PositionRange } from './consumer.ts'
import type { AttemptOutcome, Claim, ClaimRequest, DeliverySlots, Exhausted, ReleasedClaim } from './delivery.ts'
import type { Destination, DestinationSettings } from './destination.ts'
import type { DestinationChanges, SecretRotation } from './destination-changes.ts'
import type { NewCallback, ReceivedCallback } from './event.ts'
import type { RaisedWarning, StoredCallback } from './event-record.ts'
import type { ExpiryWarning } from './expiry.ts'
import type { Inactivity } from './inactivity.ts'
import type { NodeStore } from './nodes/node.ts'
import type { PageSessionStore } from './nodes/page-session.ts'
import type { HourSumWrites } from './overview/hour-sums.ts'
import type { Decision, QuarantinedFact, ReleasedFact } from './quarantine.ts'
import type { ReconcileWrites } from './reconcile/reconcile-store.ts'
import type { RefusalBatch } from './refusal.ts'
import type { NewRegistration, Registered } from './registration.ts'
import type { NewReplay, ReplayCancellation, ReplayChange, ReplayRecord, ReplayStep } from './replay.ts'
import type { Redacted, RedactionStep, Removal, Removed, RemovedThrough } from './retention.ts'
import type { SearchBounds, SearchSettings, SearchTask } from './search/search-work.ts'
import type { ChargeRouteWrites } from './service/charge-route.ts'
import type { NotificationTokenWrites } from './service/notification-token.ts'
import type { DestinationCertificate, StoreReader } from './store-reader.ts'

export interface RotatedSecret {
  readonly secretHash: string
  readonly previousValidUntil: number | null
}

export interface ClearedResponseBodies {
  readonly cleared: number
  /** Where the next call continues; null: all attempts were visited. */
  readonly next: number | null
}

/** The state of the writer, known without asking it. */
export interface WriterPulse {
  /** Callbacks in the queue, those of the commit under way included. Each counts as one event, because its facts are read later. */
  readonly waitingEvents: number
  /** Bytes of the bodies of those callbacks. */
  readonly waitingBytes: number
  /** Time since the writer's last answer while work waits for it; 0: nothing waits. */
  readonly silentMs: number
}

/**
 * All writes. A method is one transaction; when its promise is fulfilled, the change is on disk (fsync). The exceptions, which a power failure may
 * undo, are named: `claimDeliveries`, `releaseClaims`, `leaseBatch`, `removeAged`, `workOnSearch`, `addHourSums`. No callback function crosses this interface.
 *
 * Every method throws PortariaError `store_unavailable` when the disk fails or is full. `storeCallback` and `recordRefusals` throw `queue_full` when
 * more waits for the disk than the configuration allows.
 */
export interface Store
  extends StoreReader,
    NotificationTokenWrites,
    ChargeRouteWrites,
    ActionWrites,
    ReconcileWrites,
    HourSumWrites,
    AlarmWrites {
  // Events
  /**
   * Stores a callback with its events and their deliveries, or holds its facts in quarantine. Facts that are stored already are only counted. One with
   * a token to resolve gets a job and no event; while the job waits, further callbacks of the token join it and are not stored.
   *
   * The store reads the facts by the rule of their kind, with which it was opened. Given facts are stored as they are. A body that cannot be read
   * becomes one event, marked `unparsed`.
   */
  storeCallback(callback: ReceivedCallback | NewCallback): Promise<StoredCallback>
  /**
   * Stores the event of an expiry warning with its deliveries, and that the warning was given. null: this warning, or one with fewer days left, was
   * given before for this certificate and set.
   */
  raiseExpiryWarning(warning: ExpiryWarning): Promise<RaisedWarning | null>
  /** The same for a kind without callbacks. null: an event was stored for this silence before. */
  raiseInactivity(silence: Inactivity): Promise<RaisedWarning | null>

  // Quarantine
  /**
   * Makes a quarantined fact the newest event, with its original time of receipt, for the destinations that exist now. If the same fact has become an
   * event meanwhile, it is counted there instead.
   * @throws PortariaError `not_found`; `conflict` when the fact was decided before
   */
  releaseQuarantined(id: number, decision: Decision): Promise<ReleasedFact>
  /** Rejects a quarantined fact permanently. @throws as `releaseQuarantined` */
  discardQuarantined(id: number, decision: Decision): Promise<QuarantinedFact>

  // Sending
  /**
   * From now on `storeCallback` claims up to `count` new deliveries of this destination that are due at once (`handed` in its result), in place of this
   * destination's earlier offer. After one that is due and not handed over, it hands over none until a claim leaves nothing that is due. No transaction.
   */
  offerSlots(slots: DeliverySlots): void
  /** Leases due deliveries of one destination to this process, and renews the leases in `request.held`. */
  claimDeliveries(request: ClaimRequest): Promise<Claim>
  /**
   * Records attempts and their consequences. Outcomes whose claim was lost are ignored; returns the number of the others. Where an operator skipped or
   * retried the delivery during the attempt, the attempt is recorded, but only `delivered` changes the delivery.
   */
  recordAttempts(outcomes: readonly AttemptOutcome[]): Promise<number>
  /** Gives claims back that were not attempted: a shutdown uses up no retry. */
  releaseClaims(claims: readonly ReleasedClaim[]): Promise<void>
  /** Opens or closes a destination's circuit. */
  setCircuit(id: number, openedAt: number | null): Promise<void>
  /** Replaces the certificate on record for this destination. */
  keepDestinationCertificate(certificate: DestinationCertificate, now: number): Promise<void>

  // Destinations
  /**
   * Makes the configuration file's destinations equal to `configured`: adds, updates and retires. A pause survives.
   * @param isStarting no callback waits yet, so an order may change however many deliveries wait
   * @throws PortariaError `conflict` as `updateDestination`, and for the name of a destination that a command created
   */
  syncDestinations(
    configured: readonly DestinationSettings[],
    now: number,
    isStarting?: boolean,
  ): Promise<{ retired: string[] }>
  /**
   * @param owner id of the client that owns it; left out: the operator
   * @throws PortariaError `conflict` for a name that is taken, a 501st destination, or a 21st of this client
   */
  createDestination(settings: DestinationSettings, now: number, owner?: string): Promise<Destination>
  /**
   * Creates the destination of a registration. If the owner has one with the same kinds and URL (normalized by the WHATWG URL standard), that one is
   * returned unchanged.
   * @throws PortariaError `conflict` as `createDestination`
   */
  registerDestination(settings: DestinationSettings, registration: NewRegistration, now: number): Promise<Registered>
  /**
   * Gives a registration another URL, to which its waiting deliveries go, too.
   * @returns it, as new; or, unchanged, the owner's registration that has these kinds and this URL already
   */
  moveRegistration(id: number, url: string): Promise<Registered>
  /**
   * Merges changes into the current settings. A changed order applies to waiting deliveries, too.
   * @throws PortariaError `conflict` for a destination of the configuration file, a name that is taken, a registration's URL or kinds, and a changed
   * order while more than 50,000 deliveries wait; `request_invalid` for settings that contradict each other
   */
  updateDestination(id: number, changes: DestinationChanges, now: number): Promise<Destination>
  /** @throws PortariaError `conflict` for a destination of the configuration file, or for the secret that it signs with already */
  rotateSecret(id: number, rotation: SecretRotation): Promise<Destination>
  /** Of a destination that is paused already, the reason stays, unless it is one that the gateway ends by itself. */
  pauseDestination(id: number, reason: string): Promise<Destination>
  /** @param pauseReason only a destination that is paused for this reason; left out: for any reason */
  resumeDestination(id: number, pauseReason?: string): Promise<Destination>
  /** `cancelDeliveries` must follow. @throws PortariaError `conflict` for a destination of the configuration file */
  deleteDestination(id: number): Promise<Destination>
  /** Cancels up to `limit` waiting deliveries of a removed destination; returns their number. */
  cancelDeliveries(destinationId: number, limit: number, now: number): Promise<number>
  /** Ends up to `limit` deliveries that have been due since before `dueBefore` as exhausted. */
  exhaustDeliveries(destinationId: number, dueBefore: number, limit: number, now: number): Promise<Exhausted>

  // Single deliveries
  /**
   * Restarts a delivery at the first step of its schedule. It is due now, or after the attempt under way has failed. Unclaimed later deliveries with
   * its order key wait for it.
   * @throws PortariaError `not_found`; `conflict` for a blocked delivery, a removed destination, or an event without data
   */
  retryDelivery(deliveryId: number, now: number): Promise<{ destinationId: number }>
  /** Cancels a delivery; the next one with its order key becomes due. @throws PortariaError `not_found`; `conflict` for one that has ended */
  skipDelivery(deliveryId: number, now: number): Promise<{ destinationId: number }>
  /**
   * Queues an event again, for one destination or all of its earlier ones. Skips deliveries still pending (`leftIds`).
   * @throws PortariaError `not_found`; `conflict` when no destination is left, or the event has no data
   */
  replayEvent(
    eventId: string,
    destinationId: number | null,
    now: number,
  ): Promise<{ deliveryIds: number[]; destinationIds: number[]; leftIds: number[] }>

  // Replays
  /** Creates a replay: `running`, or `done` if it matches no event. @throws PortariaError `conflict` while too many replays run */
  createReplay(replay: NewReplay, now: number): Promise<ReplayRecord>
  /**
   * Requeues the events of one step, each after all live deliveries, and advances the replay in the same transaction. Does nothing if the replay has
   * ended or is not at `step.from`. Leaves events alone that wait already or no longer match.
   * @throws PortariaError `not_found`
   */
  advanceReplay(step: ReplayStep, now: number): Promise<ReplayChange>
  /**
   * Cancels a replay and withdraws its pending deliveries: those delivered before become `delivered` again, the others `canceled`. Idempotent.
   * @throws PortariaError `not_found`; `conflict` for one that has ended otherwise and has no pending deliveries
   */
  cancelReplay(id: number, now: number): Promise<ReplayCancellation>

  // Consumers
  /**
   * Leases the events of a range to a consumer; without a batch, moves the consumer to the end of the range, because its filter matched nothing there.
   * Only if the consumer is still at the beginning of the range and has no other lease. Creates the consumer, at position 0, if it does not exist.
   */
  leaseBatch(
    key: ConsumerKey,
    range: PositionRange,
    batch: Omit<BatchLease, 'end'> | null,
    now: number,
  ): Promise<LeaseResult>
  /** Moves the consumer past the current lease, or up to `upTo` inside it: the rest is leased again. At its own position the consumer stays, and the lease ends. @param upTo null: all of it */
  acknowledgeBatch(key: ConsumerKey, batchId: string, upTo: number | null, now: number): Promise<Acknowledgment>
  /**
   * Moves the consumer and cancels its lease. Creates the consumer if it does not exist; null: there are too many.
   * @param gapsReportedAt removals that were announced later are gaps for it; left out or 0: no removal before now is
   */
  seekConsumer(key: ConsumerKey, position: number, now: number, gapsReportedAt?: number): Promise<Consumer | null>
  /** false: it does not exist. */
  deleteConsumer(key: ConsumerKey): Promise<boolean>

  // Refused callers
  /**
   * Records refusals and marks those of the service's probes; returns the number of newly marked ones. Keeps the newest of each address, and of all.
   * Yields to callbacks: throws `queue_full` while the queue is more than half full.
   */
  recordRefusals(batch: RefusalBatch): Promise<number>
  /** Removes the oldest refusals, at most `limit`; returns their number. */
  dropRefusals(limit: number): Promise<number>

  // API clients
  /** @throws PortariaError `conflict` for a name that is taken, or a 1,001st client */
  createClient(client: NewClient, now: number): Promise<Client>
  /**
   * Replaces the secret. The old one works until `previousValidUntil`; null: it stops working immediately, with all tokens.
   * @throws PortariaError `not_found`; `conflict` for a revoked client
   */
  rotateClient(id: string, secret: RotatedSecret, now: number): Promise<Client>
  /** Revokes permanently; secrets and tokens stop working immediately. Idempotent. @throws PortariaError `not_found` */
  revokeClient(id: string, now: number): Promise<Client>
  /** The key that signs access tokens: the first that was ever offered. */
  keepTokenKey(offered: string): Promise<string>

  // Retention
  /** Announces that retention will remove events up to these positions. From now on a reader that has not read them gets a gap reported. */
  announceRemoval(reach: readonly RemovedThrough[], now: number): Promise<void>
  /** Removes the data of these callbacks' events, or their rows. Callbacks with waiting deliveries stay. Announces what was not announced before. */
  removeAged(removal: Removal, now: number): Promise<Removed>
  /**
   * Removes a subject's data from these events, quarantined facts and some of the callbacks that repeat it, and cancels its deliveries. More repeats
   * may be left: `findSubject` tells.
   */
  redact(step: RedactionStep, now: number): Promise<Redacted>
  /** Clears response bodies of attempts; visits `limit` of them. `after`: 0, or `next` of the call before. */
  clearResponseBodies(after: number, limit: number): Promise<ClearedResponseBodies>

  // The search index
  /** Takes up the settings of the kinds; where they have changed, the index is made again. Returns whether they have. */
  configureSearch(settings: SearchSettings): Promise<boolean>
  /** Has the whole index made again: the task `rebuild` of `workOnSearch` has work from now on. Searches find as much as before meanwhile. */
  rebuildSearch(): Promise<void>
  /**
   * Performs the next step of a task. Returns how many events it read; null: nothing is to be done. A step that another change came between changes
   * nothing: the next one does it again.
   */
  workOnSearch(task: SearchTask, bounds: SearchBounds): Promise<number | null>
  /**
   * Makes the removal of these callbacks from the index quick, by one step a call. Returns up to which position it has changed the index, for
   * `SearchBounds.after`; null: nothing is left to do.
   */
  prepareRemoval(callbackIds: readonly number[]): Promise<number | null>

  // The database itself
  /**
   * Moves the write-ahead log into the database and truncates it, so that removed data is gone from the disk; false: a reader still uses it. Only of a
   * database that is a file.
   */
  checkpointWal?(): Promise<boolean>
  /** Records that the clock is plausible now, or since when it is not. */
  recordClock(clock: ClockRecord): Promise<void>
  pulse(): WriterPulse

  /** Left out: one process alone uses the store. Then it may do everything. */
  readonly nodes?: NodeStore
  /** Left out: sessions of the pages are in memory. */
  readonly pageSessions?: PageSessionStore
}
