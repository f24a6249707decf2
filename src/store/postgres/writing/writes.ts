import type { NewCallback } from '../../../domain/event.ts'
import type { StoredCallback } from '../../../domain/event-record.ts'
import type { NodeWrites } from '../../../domain/nodes/node.ts'
import type { PageSessionWrites } from '../../../domain/nodes/page-session.ts'
import type { ArgumentsOf, ResultOf, StoreCall, WriteCall, Writes } from '../../storing/store-calls.ts'
import * as actions from '../actions.ts'
import { keepAlarmEntries } from '../alarms.ts'
import * as routes from '../charge-routes.ts'
import * as clients from '../clients.ts'
import { recordClock } from '../clock.ts'
import * as consumers from '../consumers.ts'
import { STORING_MS } from '../database/database.ts'
import { recordAttempts } from '../deliveries/attempt-outcomes.ts'
import * as claims from '../deliveries/claims.ts'
import * as deliveries from '../deliveries/delivery-actions.ts'
import * as replays from '../deliveries/replays.ts'
import * as destinations from '../destinations.ts'
import { discardQuarantined, releaseQuarantined } from '../events/quarantine.ts'
import { settleToken } from '../events/settle-token.ts'
import { type Ahead, beginStoring, NO_NEEDS, needsOf } from '../events/storing.ts'
import { addHourSums } from '../hour-sums.ts'
import * as leases from '../leases.ts'
import { keepDestinationCertificate, noteExpiryWarning, noteInactivity } from '../notices.ts'
import * as sessions from '../page-sessions.ts'
import * as subjects from '../reconcile/note-subjects.ts'
import * as outages from '../reconcile/outages.ts'
import { settleAnswer } from '../reconcile/settle-answer.ts'
import { redact } from '../redaction.ts'
import * as refusals from '../refusals.ts'
import * as retention from '../retention.ts'
import type { SearchStep } from '../search/search-index.ts'
import * as search from '../search/search-index.ts'
import { takeBudget } from '../service-tokens.ts'
import { toldBy, toldByStoring } from './told.ts'
import type { Transaction } from './transaction.ts'
import type { WriterParts } from './writer-parts.ts'

/**
 * How a method is committed: `shared` in one commit with its neighbours in the queue, or `alone`, so that its failure fails no callback.
 */
type Commit = 'shared' | 'alone'

interface Write<Args extends readonly unknown[], Result> {
  readonly commit: Commit
  /** Whether the commit is on disk before the promise is fulfilled. */
  readonly isSynced: boolean
  /** Where no callback waits. */
  readonly limitMs: number
  readonly perform: (parts: WriterParts, transaction: Transaction, ...args: Args) => Promise<Result>
}

/** What the writer performs. */
export interface PostgresWrites extends Writes, NodeWrites, PageSessionWrites {
  /** False: another step has come between. */
  performSearchStep(step: SearchStep): Promise<boolean>
}

export type PostgresCall = StoreCall<PostgresWrites>
export type PostgresWriteCall = WriteCall<PostgresWrites>

type Table = {
  readonly [M in keyof PostgresWrites]: Write<ArgumentsOf<M, PostgresWrites>, ResultOf<M, PostgresWrites>>
}

type Perform<Args extends readonly unknown[], Result> = Write<Args, Result>['perform']

function shared<A extends readonly unknown[], R>(perform: Perform<A, R>): Write<A, R> {
  return { commit: 'shared', isSynced: true, limitMs: STORING_MS, perform }
}

const LONG_MS = 30_000

function alone<A extends readonly unknown[], R>(perform: Perform<A, R>): Write<A, R> {
  return { commit: 'alone', isSynced: true, limitMs: LONG_MS, perform }
}

/** As `alone`, and every node reads the destinations again. */
function changing<A extends readonly unknown[], R>(perform: Perform<A, R>): Write<A, R> {
  return alone(async (parts, transaction, ...args: A) => {
    await transaction.changeDestinations()
    return perform(parts, transaction, ...args)
  })
}

export const WRITES: Table = {
  storeCallback: shared(async (parts, transaction, callback: NewCallback) => {
    const [stored] = await storeCallbacks(parts, transaction, [callback])
    return stored as StoredCallback
  }),
  settleToken: shared(settleToken),
  releaseQuarantined: alone(releaseQuarantined),
  discardQuarantined: alone(discardQuarantined),
  raiseExpiryWarning: shared(async (parts, transaction, warning) =>
    (await noteExpiryWarning(transaction, warning)) ? storeOwn(parts, transaction, warning.event) : null,
  ),
  raiseInactivity: shared(async (parts, transaction, silence) =>
    (await noteInactivity(transaction, silence)) ? storeOwn(parts, transaction, silence.event) : null,
  ),
  beginRun: shared(outages.beginRun),
  continueRun: shared(outages.continueRun),
  beginOutage: shared(outages.beginOutage),
  endOutage: shared(outages.endOutage),
  raiseOutage: shared(async (parts, transaction, id, event) =>
    (await outages.noteRaised(transaction, id, event)) ? storeOwn(parts, transaction, event) : null,
  ),
  outageReconciled: shared(outages.outageReconciled),
  addHourSums: { ...alone(addHourSums), isSynced: false },
  keepAlarmEntries: shared(keepAlarmEntries),
  keepDestinationCertificate: shared(keepDestinationCertificate),
  syncDestinations: changing(destinations.syncDestinations),
  createDestination: changing(destinations.createDestination),
  registerDestination: changing(destinations.registerDestination),
  moveRegistration: changing(destinations.moveRegistration),
  updateDestination: changing(destinations.updateDestination),
  rotateSecret: changing(destinations.rotateSecret),
  pauseDestination: changing(destinations.pauseDestination),
  resumeDestination: changing(destinations.resumeDestination),
  deleteDestination: changing(destinations.deleteDestination),
  setCircuit: changing(destinations.setCircuit),
  createClient: alone(clients.createClient),
  rotateClient: alone(clients.rotateClient),
  revokeClient: alone(clients.revokeClient),
  keepTokenKey: alone(clients.keepTokenKey),
  leaseBatch: { ...shared(consumers.leaseBatch), isSynced: false },
  acknowledgeBatch: shared(consumers.acknowledgeBatch),
  seekConsumer: shared(consumers.seekConsumer),
  deleteConsumer: shared(consumers.deleteConsumer),
  recordAction: shared(actions.recordAction),
  removeActions: shared(actions.removeActions),
  recordRefusals: alone(refusals.recordRefusals),
  dropRefusals: alone(refusals.dropRefusals),
  recordClock: alone(recordClock),
  claimDeliveries: { ...shared(claims.claimDeliveries), isSynced: false },
  recordAttempts: shared(recordAttempts),
  releaseClaims: { ...shared(claims.releaseClaims), isSynced: false },
  retryDelivery: alone(deliveries.retryDelivery),
  skipDelivery: alone(deliveries.skipDelivery),
  replayEvent: alone(deliveries.replayEvent),
  exhaustDeliveries: alone(deliveries.exhaustDeliveries),
  cancelDeliveries: alone(deliveries.cancelDeliveries),
  takeBudget: shared(takeBudget),
  noteSubjects: { ...alone(subjects.noteSubjects), isSynced: false },
  expectSubjects: alone(subjects.expectSubjects),
  settleAnswer: shared(settleAnswer),
  keepUnknown: shared(subjects.keepUnknown),
  raiseSilence: shared(async (parts, transaction, silent) =>
    (await subjects.noteSilence(transaction, silent)) ? storeOwn(parts, transaction, silent.event) : null,
  ),
  redact: alone(redact),
  announceRemoval: alone(retention.announceRemoval),
  removeAged: { ...alone(retention.removeAged), isSynced: false },
  clearResponseBodies: alone(retention.clearResponseBodies),
  openChargeRoute: changing(routes.openChargeRoute),
  confirmChargeRoute: changing(routes.confirmChargeRoute),
  restoreChargeRoute: changing(routes.restoreChargeRoute),
  deleteChargeRoute: changing(routes.deleteChargeRoute),
  createReplay: alone(replays.createReplay),
  advanceReplay: alone(replays.advanceReplay),
  cancelReplay: alone(replays.cancelReplay),
  keepSession: shared(sessions.keepSession),
  useSession: { ...shared(sessions.useSession), isSynced: false },
  endSession: shared(sessions.endSession),
  claimGrant: shared(sessions.claimGrant),
  keepGrant: shared(sessions.keepGrant),
  endGrants: shared(sessions.endGrants),
  takeOnce: shared(sessions.takeOnce),
  // Late, it would take over from nodes that were silent only while the database was.
  signOn: { ...alone(leases.signOn), limitMs: STORING_MS },
  freeLeases: alone(leases.freeLeases),
  signOff: alone(leases.signOff),
  configureSearch: alone(search.configureSearch),
  rebuildSearch: alone(search.rebuildSearch),
  performSearchStep: { ...alone(search.performStep), isSynced: false },
}

/** Callbacks of one transaction, in their order. */
export async function storeCallbacks(
  parts: WriterParts,
  transaction: Transaction,
  callbacks: readonly NewCallback[],
  ahead?: Ahead,
): Promise<StoredCallback[]> {
  const storing = await beginStoring(transaction, needsOf(callbacks), parts, ahead)
  const stored = callbacks.map((callback) => storing.callbacks.store(callback, storing.destinations))
  storing.write()
  transaction.tell(toldByStoring(stored))
  return stored
}

type OwnEvent = Parameters<Writes['raiseExpiryWarning']>[0]['event']

async function storeOwn(parts: WriterParts, transaction: Transaction, event: OwnEvent) {
  const { environment, subject, status } = event
  const fact = { kind: 'operator', subject, status, hash: null, span: null, part: 1, parts: 1 }
  const storing = await beginStoring(transaction, { ...NO_NEEDS, facts: [{ environment, fact }] }, parts)
  const raised = storing.callbacks.storeOwn(event, storing.destinations)
  storing.write()
  return raised
}

export async function performWrite(parts: WriterParts, transaction: Transaction, call: PostgresWriteCall) {
  const perform = WRITES[call.method].perform as (...args: readonly unknown[]) => Promise<unknown>
  const result = await perform(parts, transaction, ...call.args)
  transaction.tell(toldBy(call, result))
  return result
}
