import type { ArgumentsOf, ResultOf } from '../../storing/store-calls.ts'
import { checkpointWal } from '../database/checkpoint.ts'
import type { SqliteWriteCall, SqliteWrites } from './sqlite-calls.ts'
import type { WriterParts } from './writer-parts.ts'

/**
 * How a method is committed.
 * - `shared`: in one commit with its neighbours in the queue. It must not change a destination.
 * - `alone`: in a commit of its own, so that its failure fails no callback. It must not change a destination.
 * - `reloading`: in a commit of its own, after which the writer reads the destinations again, and whether there are charge routes.
 * - `outside`: outside any transaction.
 */
type Commit = 'shared' | 'alone' | 'reloading' | 'outside'

interface Write<Args extends readonly unknown[], Result> {
  readonly commit: Commit
  /** Whether the commit is on disk (fsync) before the promise is fulfilled. False: a power failure may undo it, a crash of the process cannot. */
  readonly isSynced: boolean
  readonly perform: (parts: WriterParts, ...args: Args) => Result
}

type Writes = { readonly [M in keyof SqliteWrites]: Write<ArgumentsOf<M, SqliteWrites>, ResultOf<M, SqliteWrites>> }

type Perform<Args extends readonly unknown[], Result> = Write<Args, Result>['perform']

function shared<A extends readonly unknown[], R>(perform: Perform<A, R>): Write<A, R> {
  return { commit: 'shared', isSynced: true, perform }
}

function sharedUnsynced<A extends readonly unknown[], R>(perform: Perform<A, R>): Write<A, R> {
  return { commit: 'shared', isSynced: false, perform }
}

function alone<A extends readonly unknown[], R>(perform: Perform<A, R>): Write<A, R> {
  return { commit: 'alone', isSynced: true, perform }
}

function aloneUnsynced<A extends readonly unknown[], R>(perform: Perform<A, R>): Write<A, R> {
  return { commit: 'alone', isSynced: false, perform }
}

function reloading<A extends readonly unknown[], R>(perform: Perform<A, R>): Write<A, R> {
  return { commit: 'reloading', isSynced: true, perform }
}

function outside<A extends readonly unknown[], R>(perform: Perform<A, R>): Write<A, R> {
  return { commit: 'outside', isSynced: true, perform }
}

/**
 * The one implementation of each writing Store method, with its commit rule. The compiler refuses a missing one. A method may be unsynced only if a
 * power failure that undoes it does no harm: a lost claim or lease is taken again, an aged callback is removed again, an event indexed or taken up again.
 * Sums of an hour lose what is left out of a chart.
 */
export const WRITES: Writes = {
  storeCallback: shared(({ callbacks, destinations }, callback) => callbacks.store(callback, destinations.current())),
  settleToken: shared(({ settleToken, destinations }, outcome) => settleToken(outcome, destinations.current())),
  takeBudget: shared(({ budgets }, request) => budgets.take(request)),
  openChargeRoute: reloading(({ chargeRoutes }, route, now) => chargeRoutes.open(route, now)),
  confirmChargeRoute: reloading(({ chargeRoutes }, key, owner, now) => chargeRoutes.confirm(key, owner, now)),
  restoreChargeRoute: reloading(({ chargeRoutes }, opened, previous) => chargeRoutes.restore(opened, previous)),
  deleteChargeRoute: reloading(({ chargeRoutes }, key, owner) => chargeRoutes.remove(key, owner)),
  claimDeliveries: sharedUnsynced(({ claims }, request) => claims.claim(request)),
  recordAttempts: shared(({ claims }, outcomes) => claims.record(outcomes)),
  releaseClaims: sharedUnsynced(({ claims }, released) => claims.release(released)),
  syncDestinations: reloading(({ destinations }, configured, now, isStarting = false) =>
    destinations.sync({ configured, now, isStarting }),
  ),
  createDestination: reloading(({ destinations }, settings, now, owner) =>
    destinations.create(settings, now, owner ?? null),
  ),
  registerDestination: reloading(({ destinations }, settings, registration, now) =>
    destinations.register(settings, registration, now),
  ),
  moveRegistration: reloading(({ destinations }, id, url) => destinations.move(id, url)),
  updateDestination: reloading(({ destinations }, id, changes, now) => destinations.update(id, changes, now)),
  rotateSecret: reloading(({ destinations }, id, rotation) => destinations.rotateSecret(id, rotation)),
  pauseDestination: reloading(({ destinations }, id, reason) => destinations.pause(id, reason)),
  resumeDestination: reloading(({ destinations }, id, pauseReason) => destinations.resume(id, pauseReason)),
  deleteDestination: reloading(({ destinations }, id) => destinations.remove(id)),
  setCircuit: reloading(({ destinations }, id, openedAt) => destinations.setCircuit(id, openedAt)),
  retryDelivery: reloading(({ actions }, deliveryId, now) => actions.retry(deliveryId, now)),
  skipDelivery: reloading(({ actions }, deliveryId, now) => actions.skip(deliveryId, now)),
  replayEvent: reloading(({ actions }, eventId, destinationId, now) => actions.replay(eventId, destinationId, now)),
  recordAction: shared(({ actionLog }, action) => actionLog.record(action)),
  removeActions: shared(({ actionLog }, before, limit) => actionLog.removeAged(before, limit)),
  createReplay: alone(({ replays }, replay, now) => replays.create(replay, now)),
  advanceReplay: alone(({ replays }, step, now) => replays.advance(step, now)),
  cancelReplay: alone(({ replays }, id, now) => replays.cancel(id, now)),
  exhaustDeliveries: reloading(({ endedDeliveries }, id, dueBefore, limit, now) =>
    endedDeliveries.exhaust({ id, dueBefore, limit, now }),
  ),
  cancelDeliveries: reloading(({ endedDeliveries }, id, limit, now) => endedDeliveries.cancel(id, limit, now)),
  recordRefusals: alone(({ refusals }, batch) => refusals.record(batch)),
  recordClock: alone(({ clock }, record) => clock.record(record)),
  keepDestinationCertificate: shared(({ expiry }, certificate, now) => expiry.keepCertificate(certificate, now)),
  raiseExpiryWarning: shared(({ expiry, callbacks, destinations }, warning) =>
    expiry.note(warning) ? callbacks.storeOwn(warning.event, destinations.current()) : null,
  ),
  raiseInactivity: shared(({ inactivity, callbacks, destinations }, silence) =>
    inactivity.note(silence) ? callbacks.storeOwn(silence.event, destinations.current()) : null,
  ),
  noteSubjects: sharedUnsynced(({ subjects }, batch) => subjects.note(batch)),
  expectSubjects: alone(({ subjects }, expected, now) => subjects.expect(expected, now)),
  settleAnswer: shared(({ subjects, settleAnswer, destinations }, answer) => {
    const rows = subjects.rowsOf(answer)
    return rows === null ? null : settleAnswer(answer, rows, destinations.current())
  }),
  keepUnknown: shared(({ subjects }, counts) => subjects.keepUnknown(counts)),
  raiseSilence: shared(({ subjects, callbacks, destinations }, silent) =>
    subjects.noteSilence(silent) ? callbacks.storeOwn(silent.event, destinations.current()) : null,
  ),
  beginRun: shared(({ outages }, node, now) => outages.beginRun(node, now)),
  continueRun: shared(({ outages }, id, now, isEnd) => outages.continueRun(id, now, isEnd)),
  beginOutage: shared(({ outages }, outage) => outages.beginOutage(outage)),
  endOutage: shared(({ outages }, id, now) => outages.endOutage(id, now)),
  raiseOutage: shared(({ outages, callbacks, destinations }, id, event) =>
    outages.noteRaised(id, event.madeAt) ? callbacks.storeOwn(event, destinations.current()) : null,
  ),
  outageReconciled: shared(({ outages }, id, now) => outages.outageReconciled(id, now)),
  addHourSums: aloneUnsynced(({ hourSums }, sums) => hourSums.add(sums)),
  keepAlarmEntries: shared(({ alarms }, entries) => alarms.keep(entries)),
  releaseQuarantined: reloading(({ callbacks, destinations, quarantine }, id, decision) => {
    const released = callbacks.release(id, decision, destinations.current())
    return { fact: quarantine.find(id), ...released }
  }),
  discardQuarantined: reloading(({ quarantine }, id, decision) => quarantine.discard(id, decision)),
  createClient: reloading(({ clients }, client, now) => clients.create(client, now)),
  rotateClient: reloading(({ clients }, id, secret, now) => clients.rotate(id, secret, now)),
  revokeClient: reloading(({ clients }, id, now) => clients.revoke(id, now)),
  leaseBatch: sharedUnsynced(({ consumers }, key, range, batch, now) => consumers.lease(key, range, batch, now)),
  acknowledgeBatch: shared(({ consumers }, key, batchId, upTo, now) => consumers.acknowledge(key, batchId, upTo, now)),
  seekConsumer: shared(({ consumers }, key, position, now, gapsReportedAt) =>
    consumers.seek(key, { position, gapsReportedAt: gapsReportedAt ?? 0 }, now),
  ),
  deleteConsumer: shared(({ consumers }, key) => consumers.remove(key)),
  keepTokenKey: reloading(({ clients }, offered) => clients.keepTokenKey(offered)),
  announceRemoval: alone(({ retention }, reach, now) => retention.announce(reach, now)),
  configureSearch: alone(({ search }, settings) => search.configure(settings)),
  rebuildSearch: alone(({ search }) => search.rebuild()),
  applySearchChange: aloneUnsynced(({ search }, change) => search.apply(change)),
  removeAged: aloneUnsynced(({ retention }, removal, now) => retention.removeAged(removal, now)),
  redact: alone(({ redact }, step, now, prepared) => redact(step, now, prepared)),
  checkpointWal: outside(({ db }) => checkpointWal(db)),
  dropRefusals: alone(({ space }, limit) => space.dropRefusals(limit)),
  clearResponseBodies: alone(({ space }, after, limit) => space.clearResponseBodies(after, limit)),
}

export function performWrite(parts: WriterParts, { method, args }: SqliteWriteCall): unknown {
  const perform = WRITES[method].perform as (parts: WriterParts, ...args: readonly unknown[]) => unknown
  return perform(parts, ...args)
}
