import { recordAction } from '../../sql/actions.ts'
import * as routes from '../../sql/charge-routes.ts'
import { keepClock } from '../../sql/clock.ts'
import * as steps from '../../sql/destinations.ts'
import {
  ALONE,
  type AnyWrite,
  type CommitRule,
  METHODS,
  type OwnWriteMethod,
  performing,
  unsynced,
} from '../../sql/methods.ts'
import { getHeldFact } from '../../sql/quarantine.ts'
import { answeredSubjects, writeSubjects } from '../../sql/subjects.ts'
import type { ArgumentsOf, ResultOf } from '../../storing/store-calls.ts'
import { lastAction } from '../actions/verify-actions.ts'
import { ask } from '../database/ask.ts'
import { checkpointWal } from '../database/checkpoint.ts'
import { prepareMark } from '../database/last-position.ts'
import { checkReordering, reorder } from '../destinations/destinations.ts'
import type { SqliteWriteCall, SqliteWrites } from './sqlite-calls.ts'
import type { WriterParts } from './writer-parts.ts'

type Performing<M extends keyof SqliteWrites> = {
  readonly [Method in M]: (
    parts: WriterParts,
    ...args: ArgumentsOf<Method, SqliteWrites>
  ) => ResultOf<Method, SqliteWrites>
}

/** The implementation of each writing Store method that has statements of its own here. The compiler refuses a missing one. */
const OWN: Performing<OwnWriteMethod> = {
  storeCallback: ({ callbacks, destinations }, callback) => callbacks.store(callback, destinations.current()),
  settleToken: ({ settleToken, destinations }, outcome) => settleToken(outcome, destinations.current()),
  openChargeRoute: ({ db, destinations }, ...args) => ask(db, routes.openChargeRoute, destinations.current(), ...args),
  restoreChargeRoute({ db, destinations, unused }, opened, previous) {
    const unrouted = ask(db, routes.restoreChargeRoute, destinations.current(), opened, previous)
    if (unrouted !== null) unused.removeRoute(unrouted)
  },
  deleteChargeRoute({ db, unused }, key, owner) {
    const { isDeleted, unrouted } = ask(db, routes.deleteChargeRoute, key, owner)
    if (unrouted !== null) unused.removeRoute(unrouted)
    return isDeleted
  },
  syncDestinations({ db, orderKeys }, configured, now, isStarting = false) {
    const { retired, rewritten } = ask(db, steps.syncDestinations, configured, now)
    for (const one of rewritten) {
      if (!isStarting) checkReordering(db, one)
      reorder(orderKeys, one, now)
    }
    return { retired }
  },
  registerDestination: ({ db, destinations }, ...args) =>
    ask(db, steps.registerDestination, destinations.current(), ...args),
  moveRegistration: ({ db, destinations }, ...args) => ask(db, steps.moveRegistration, destinations.current(), ...args),
  setCircuit: ({ db }, ...args) => ask(db, steps.setCircuit, ...args),
  updateDestination({ db, orderKeys }, id, changes, now) {
    const rewritten = ask(db, steps.updateDestination, id, changes)
    checkReordering(db, rewritten)
    reorder(orderKeys, rewritten, now)
    return { ...rewritten.before, ...rewritten.after }
  },
  claimDeliveries: ({ claims }, request) => claims.claim(request),
  recordAttempts: ({ claims }, outcomes) => claims.record(outcomes),
  releaseClaims: ({ claims }, released) => claims.release(released),
  retryDelivery: ({ actions }, deliveryId, now) => actions.retry(deliveryId, now),
  skipDelivery: ({ actions }, deliveryId, now) => actions.skip(deliveryId, now),
  replayEvent: ({ actions }, eventId, destinationId, now) => actions.replay(eventId, destinationId, now),
  recordAction: ({ db }, action) => ask(db, recordAction, action, lastAction(db) + 1),
  advanceReplay: ({ replays }, step, now) => replays.advance(step, now),
  cancelReplay: ({ replays }, id, now) => replays.cancel(id, now),
  exhaustDeliveries: ({ endedDeliveries }, id, dueBefore, limit, now) =>
    endedDeliveries.exhaust({ id, dueBefore, limit, now }),
  cancelDeliveries: ({ endedDeliveries }, id, limit, now) => endedDeliveries.cancel(id, limit, now),
  /** A heartbeat also marks the last position. */
  recordClock: ({ db, clock }, record) => {
    clock.record(record)
    ask(db, keepClock, record)
    if ('heartbeatAt' in record) prepareMark(db)()
  },
  settleAnswer: ({ db, settleAnswer, destinations }, answer) => {
    const subjects = ask(db, answeredSubjects, answer)
    if (subjects === null) return null
    const settled = settleAnswer(answer, subjects, destinations.current())
    ask(db, writeSubjects, subjects.changed())
    return settled
  },
  releaseQuarantined: ({ db, callbacks, destinations }, id, decision) => {
    const released = callbacks.release(id, decision, destinations.current())
    return { fact: ask(db, getHeldFact, id), ...released }
  },
  announceRemoval: ({ retention }, reach, now) => retention.announce(reach, now),
  configureSearch: ({ search }, settings) => search.configure(settings),
  rebuildSearch: ({ search }) => search.rebuild(),
  removeAged: ({ retention }, removal, now) => retention.removeAged(removal, now),
  redact: ({ redact }, step, now, prepared) => redact(step, now, prepared),
  clearResponseBodies: ({ space }, after, limit) => space.clearResponseBodies(after, limit),
}

type SqliteOnly = Exclude<keyof SqliteWrites, keyof typeof METHODS>

const SQLITE_ONLY: { readonly [M in SqliteOnly]: Write & { readonly perform: Performing<SqliteOnly>[M] } } = {
  applySearchChange: { ...unsynced(ALONE), perform: ({ search }, change) => search.apply(change) },
  checkpointWal: { commit: 'outside', isSynced: true, perform: ({ db }) => checkpointWal(db) },
}

interface Write extends Omit<CommitRule, 'commit'> {
  /** `outside`: outside any transaction. */
  readonly commit: CommitRule['commit'] | 'outside'
  readonly perform: (parts: WriterParts, ...args: never) => unknown
}

/** What the writer performs, each method with its commit rule. */
export const WRITES: Readonly<Record<keyof SqliteWrites, Write>> = {
  ...performing(METHODS, (rule: AnyWrite, method) => ({
    ...rule,
    perform: performOf(rule, method),
  })),
  ...SQLITE_ONLY,
}

function performOf(rule: AnyWrite, method: string): Write['perform'] {
  if ('steps' in rule) return ({ db }, ...args) => ask(db, rule.steps, ...args)
  if (!('raise' in rule)) return OWN[method as OwnWriteMethod]
  return ({ db, callbacks, destinations }, ...args) => {
    const event = ask(db, rule.raise, ...args)
    return event && callbacks.storeOwn(event, destinations.current())
  }
}

export function performWrite(parts: WriterParts, { method, args }: SqliteWriteCall): unknown {
  const perform = WRITES[method].perform as (parts: WriterParts, ...args: readonly unknown[]) => unknown
  return perform(parts, ...args)
}
