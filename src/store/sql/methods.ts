import type { OwnEvent } from '../../domain/event.ts'
import type { RaisedWarning } from '../../domain/event-record.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import type { ArgumentsOf, ResultOf, WriteMethod } from '../storing/store-calls.ts'
import * as actions from './actions.ts'
import * as alarms from './alarms.ts'
import type { Steps } from './asked.ts'
import * as routes from './charge-routes.ts'
import * as clients from './clients.ts'
import * as clock from './clock.ts'
import * as consumers from './consumers.ts'
import * as destinations from './destinations.ts'
import * as gaps from './gaps.ts'
import * as hourSums from './hour-sums.ts'
import * as notices from './notices.ts'
import * as outages from './outages.ts'
import * as quarantine from './quarantine.ts'
import * as refusals from './refusals.ts'
import * as replays from './replays.ts'
import * as subjects from './subjects.ts'
import * as tokens from './tokens.ts'

type ReadMethod = Exclude<keyof StoreReader, 'close' | 'reusableBytes'>

type Reads = {
  readonly [M in ReadMethod]?: Steps<Parameters<StoreReader[M]>, Awaited<ReturnType<StoreReader[M]>>>
}

/** The reading Store methods whose statements are those of both databases. The others are in the table of each store. */
export const COMMON_READS = {
  getConsumer: consumers.getConsumer,
  listConsumers: consumers.listConsumers,
  listLags: consumers.listLags,
  listClients: clients.listClients,
  listRefusals: refusals.listRefusals,
  getRefusal: refusals.getRefusal,
  latestRefusal: refusals.latestRefusal,
  listActions: actions.listActions,
  latestAction: actions.latestAction,
  listAlarmEntries: alarms.listAlarmEntries,
  listHourSums: hourSums.listHourSums,
  listRuns: outages.listRuns,
  listOutages: outages.listOutages,
  subjectsThrough: subjects.subjectsThrough,
  listOpenSubjects: subjects.listOpenSubjects,
  getKnownSubject: subjects.getKnownSubject,
  countPayments: subjects.countPayments,
  listSilentSubjects: subjects.listSilentSubjects,
  listDelays: subjects.listDelays,
  listGaps: gaps.listGaps,
  readClock: clock.readClock,
  listPeers: notices.listPeers,
  listDestinationCertificates: notices.listDestinationCertificates,
  listWaitingTokens: tokens.listWaitingTokens,
  countWaitingTokens: tokens.countWaitingTokens,
  budgetUsed: tokens.budgetUsed,
  listQuarantine: quarantine.listQuarantine,
  getQuarantined: quarantine.getQuarantined,
  listReplays: replays.listReplays,
  getReplay: replays.getReplay,
  getChargeRoute: routes.getChargeRoute,
  listDestinations: destinations.listDestinations,
} satisfies Reads

/**
 * How a writing method is committed.
 * - `shared`: in one commit with its neighbours in the queue. It must not change a destination.
 * - `alone`: in a commit of its own, so that its failure fails no callback. It must not change a destination.
 * - `changing`: in a commit of its own, behind which every writer reads the destinations again, and whether there are charge routes.
 */
export interface CommitRule {
  readonly commit: 'shared' | 'alone' | 'changing'
  /** Whether the commit is on disk (fsync) before the promise is fulfilled. False: a power failure may undo it, a crash of the process cannot. */
  readonly isSynced: boolean
}

/** A method whose statements are those of both databases. */
export interface CommonWrite<A extends readonly unknown[], R> extends CommitRule {
  readonly steps: Steps<A, R>
}

export const SHARED: CommitRule = { commit: 'shared', isSynced: true }
export const ALONE: CommitRule = { commit: 'alone', isSynced: true }
const CHANGING: CommitRule = { commit: 'changing', isSynced: true }

/** A method that raises an event of the gateway's own. */
export interface RaisingWrite<A extends readonly unknown[]> extends CommitRule {
  /** Returns the event that is still to be stored, in the same transaction; null: none. */
  readonly raise: Steps<A, OwnEvent | null>
}

export type AnyWrite = CommitRule | CommonWrite<never, unknown> | RaisingWrite<never>

function shared<A extends readonly unknown[], R>(steps: Steps<A, R>): CommonWrite<A, R> {
  return { ...SHARED, steps }
}

function alone<A extends readonly unknown[], R>(steps: Steps<A, R>): CommonWrite<A, R> {
  return { ...ALONE, steps }
}

function changing<A extends readonly unknown[], R>(steps: Steps<A, R>): CommonWrite<A, R> {
  return { ...CHANGING, steps }
}

function raising<A extends readonly unknown[]>(raise: Steps<A, OwnEvent | null>): RaisingWrite<A> {
  return { ...SHARED, raise }
}

export function unsynced<Rule extends CommitRule>(rule: Rule): Rule {
  return { ...rule, isSynced: false }
}

type Writes = {
  readonly [M in WriteMethod]: ResultOf<M> extends RaisedWarning | null
    ? CommitRule | CommonWrite<ArgumentsOf<M>, ResultOf<M>> | RaisingWrite<ArgumentsOf<M>>
    : CommitRule | CommonWrite<ArgumentsOf<M>, ResultOf<M>>
}

/**
 * Each writing Store method with its commit rule. The compiler refuses a missing one. A method may be unsynced only if a power failure that undoes it does
 * no harm: a lost claim or lease is taken again, an aged callback is removed again, an event taken up again. Sums of an hour lose what is left out of a chart.
 */
export const METHODS = {
  storeCallback: SHARED,
  settleToken: SHARED,
  takeBudget: shared(tokens.takeBudget),
  openChargeRoute: CHANGING,
  confirmChargeRoute: changing(routes.confirmChargeRoute),
  restoreChargeRoute: CHANGING,
  deleteChargeRoute: CHANGING,
  claimDeliveries: unsynced(SHARED),
  recordAttempts: SHARED,
  releaseClaims: unsynced(SHARED),
  syncDestinations: CHANGING,
  createDestination: changing(destinations.createDestination),
  registerDestination: CHANGING,
  moveRegistration: CHANGING,
  updateDestination: CHANGING,
  rotateSecret: changing(destinations.rotateSecret),
  pauseDestination: changing(destinations.pauseDestination),
  resumeDestination: changing(destinations.resumeDestination),
  deleteDestination: changing(destinations.deleteDestination),
  setCircuit: CHANGING,
  retryDelivery: ALONE,
  skipDelivery: ALONE,
  replayEvent: ALONE,
  recordAction: SHARED,
  removeActions: shared(actions.removeActions),
  createReplay: alone(replays.createReplay),
  advanceReplay: ALONE,
  cancelReplay: ALONE,
  exhaustDeliveries: ALONE,
  cancelDeliveries: ALONE,
  recordRefusals: alone(refusals.recordRefusals),
  dropRefusals: alone(refusals.dropRefusals),
  recordClock: ALONE,
  keepDestinationCertificate: shared(notices.keepDestinationCertificate),
  raiseExpiryWarning: raising(notices.raiseExpiryWarning),
  raiseInactivity: raising(notices.raiseInactivity),
  noteSubjects: unsynced(alone(subjects.noteSubjects)),
  expectSubjects: alone(subjects.expectSubjects),
  settleAnswer: SHARED,
  keepUnknown: shared(subjects.keepUnknown),
  raiseSilence: raising(subjects.raiseSilence),
  beginRun: shared(outages.beginRun),
  continueRun: shared(outages.continueRun),
  beginOutage: shared(outages.beginOutage),
  endOutage: shared(outages.endOutage),
  raiseOutage: raising(outages.raiseOutage),
  outageReconciled: shared(outages.outageReconciled),
  addHourSums: unsynced(alone(hourSums.addHourSums)),
  keepAlarmEntries: shared(alarms.keepAlarmEntries),
  releaseQuarantined: ALONE,
  discardQuarantined: alone(quarantine.discardQuarantined),
  createClient: alone(clients.createClient),
  rotateClient: alone(clients.rotateClient),
  revokeClient: alone(clients.revokeClient),
  keepTokenKey: alone(clients.keepTokenKey),
  leaseBatch: unsynced(shared(consumers.leaseBatch)),
  acknowledgeBatch: shared(consumers.acknowledgeBatch),
  seekConsumer: shared(consumers.seekConsumer),
  deleteConsumer: shared(consumers.deleteConsumer),
  announceRemoval: ALONE,
  removeAged: unsynced(ALONE),
  redact: ALONE,
  configureSearch: ALONE,
  rebuildSearch: ALONE,
  clearResponseBodies: ALONE,
} satisfies Writes

type CommonWriteMethod = {
  [M in WriteMethod]: (typeof METHODS)[M] extends CommonWrite<never, unknown> | RaisingWrite<never> ? M : never
}[WriteMethod]

export type CommonReadMethod = keyof typeof COMMON_READS
/** Those whose statements are in the table of each store. */
export type OwnWriteMethod = Exclude<WriteMethod, CommonWriteMethod>

/** A table as a store performs its methods. */
export function performing<M extends string, Entry, Performed>(
  table: Readonly<Record<M, Entry>>,
  perform: (entry: Entry, method: M) => Performed,
): Readonly<Record<M, Performed>> {
  const entries = Object.entries(table) as [M, Entry][]
  return Object.fromEntries(entries.map(([method, entry]) => [method, perform(entry, method)])) as Record<M, Performed>
}
