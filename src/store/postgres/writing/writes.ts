import type { NewCallback } from '../../../domain/event.ts'
import type { StoredCallback } from '../../../domain/event-record.ts'
import type { NodeWrites } from '../../../domain/nodes/node.ts'
import type { PageSessionWrites } from '../../../domain/nodes/page-session.ts'
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
  SHARED,
  unsynced,
} from '../../sql/methods.ts'
import type { ArgumentsOf, ResultOf, StoreCall, WriteCall, Writes } from '../../storing/store-calls.ts'
import { ask } from '../database/ask.ts'
import { STORING_MS } from '../database/database.ts'
import { recordAttempts } from '../deliveries/attempt-outcomes.ts'
import * as claims from '../deliveries/claims.ts'
import * as deliveries from '../deliveries/delivery-actions.ts'
import * as replays from '../deliveries/replays.ts'
import * as destinations from '../destinations.ts'
import { releaseQuarantined } from '../events/quarantine.ts'
import { settleToken } from '../events/settle-token.ts'
import { type Ahead, beginStoring, NO_NEEDS, needsOf } from '../events/storing.ts'
import * as leases from '../leases.ts'
import * as sessions from '../page-sessions.ts'
import { settleAnswer } from '../reconcile/settle-answer.ts'
import { redact } from '../redaction.ts'
import * as retention from '../retention.ts'
import type { SearchStep } from '../search/search-index.ts'
import * as search from '../search/search-index.ts'
import { toldBy, toldByStoring } from './told.ts'
import type { Transaction } from './transaction.ts'
import type { WriterParts } from './writer-parts.ts'

/** What the writer performs. */
export interface PostgresWrites extends Writes, NodeWrites, PageSessionWrites {
  /** False: another step has come between. */
  performSearchStep(step: SearchStep): Promise<boolean>
}

export type PostgresCall = StoreCall<PostgresWrites>
export type PostgresWriteCall = WriteCall<PostgresWrites>

type Performing<M extends keyof PostgresWrites> = {
  readonly [Method in M]: (
    parts: WriterParts,
    transaction: Transaction,
    ...args: ArgumentsOf<Method, PostgresWrites>
  ) => Promise<ResultOf<Method, PostgresWrites>>
}

/** The implementation of each writing Store method that has statements of its own here. The compiler refuses a missing one. */
const OWN: Performing<OwnWriteMethod> = {
  storeCallback: async (parts, transaction, callback: NewCallback) => {
    const [stored] = await storeCallbacks(parts, transaction, [callback])
    return stored as StoredCallback
  },
  settleToken,
  releaseQuarantined,
  syncDestinations: destinations.syncDestinations,
  updateDestination: destinations.updateDestination,
  registerDestination: async (_parts, { sql, ...transaction }, ...args) =>
    ask(sql, steps.registerDestination, await transaction.destinations(), ...args),
  moveRegistration: async (_parts, { sql, ...transaction }, ...args) =>
    ask(sql, steps.moveRegistration, await transaction.destinations(), ...args),
  async setCircuit(_parts, { sql, ...transaction }, id, openedAt) {
    // Another node may have taken over.
    if ((await transaction.fences()).has(id)) await ask(sql, steps.setCircuit, id, openedAt)
  },
  openChargeRoute: async (_parts, { sql, ...transaction }, ...args) =>
    ask(sql, routes.openChargeRoute, await transaction.destinations(), ...args),
  async restoreChargeRoute(_parts, { sql, ...transaction }, opened, previous) {
    const unrouted = await ask(sql, routes.restoreChargeRoute, await transaction.destinations(), opened, previous)
    if (unrouted !== null) await deliveries.removeUnused(sql, unrouted, 'route')
  },
  async deleteChargeRoute(_parts, { sql }, key, owner) {
    const { isDeleted, unrouted } = await ask(sql, routes.deleteChargeRoute, key, owner)
    if (unrouted !== null) await deliveries.removeUnused(sql, unrouted, 'route')
    return isDeleted
  },
  recordAction: async (_parts, { sql, head }, action) => ask(sql, recordAction, action, ++(await head()).action),
  recordClock: ({ clock }, { sql }, record) => {
    clock.record(record)
    return ask(sql, keepClock, record)
  },
  claimDeliveries: claims.claimDeliveries,
  recordAttempts,
  releaseClaims: claims.releaseClaims,
  retryDelivery: deliveries.retryDelivery,
  skipDelivery: deliveries.skipDelivery,
  replayEvent: deliveries.replayEvent,
  exhaustDeliveries: deliveries.exhaustDeliveries,
  cancelDeliveries: deliveries.cancelDeliveries,
  settleAnswer,
  redact,
  announceRemoval: retention.announceRemoval,
  removeAged: retention.removeAged,
  clearResponseBodies: retention.clearResponseBodies,
  advanceReplay: replays.advanceReplay,
  cancelReplay: replays.cancelReplay,
  configureSearch: search.configureSearch,
  rebuildSearch: search.rebuildSearch,
}

type PostgresOnly = Exclude<keyof PostgresWrites, keyof typeof METHODS>

const POSTGRES_ONLY: { readonly [M in PostgresOnly]: CommitRule & { readonly perform: Performing<PostgresOnly>[M] } } =
  {
    keepSession: { ...SHARED, perform: sessions.keepSession },
    useSession: { ...unsynced(SHARED), perform: sessions.useSession },
    endSession: { ...SHARED, perform: sessions.endSession },
    claimGrant: { ...SHARED, perform: sessions.claimGrant },
    keepGrant: { ...SHARED, perform: sessions.keepGrant },
    endGrants: { ...SHARED, perform: sessions.endGrants },
    takeOnce: { ...SHARED, perform: sessions.takeOnce },
    signOn: { ...ALONE, perform: leases.signOn },
    freeLeases: { ...ALONE, perform: leases.freeLeases },
    signOff: { ...ALONE, perform: leases.signOff },
    performSearchStep: { ...unsynced(ALONE), perform: search.performStep },
  }

interface Write extends CommitRule {
  readonly perform: (parts: WriterParts, transaction: Transaction, ...args: never) => Promise<unknown>
}

/** What the writer performs, each method with its commit rule. */
export const WRITES: Readonly<Record<keyof PostgresWrites, Write>> = {
  ...performing(METHODS, (rule: AnyWrite, method) => ({
    ...rule,
    perform: performOf(rule, method),
  })),
  ...POSTGRES_ONLY,
}

function performOf(rule: AnyWrite, method: string): Write['perform'] {
  if ('steps' in rule) return (_parts, { sql }, ...args) => ask(sql, rule.steps, ...args)
  if (!('raise' in rule)) return OWN[method as OwnWriteMethod]
  return async (parts, transaction, ...args) => {
    const event = await ask(transaction.sql, rule.raise, ...args)
    return event && storeOwn(parts, transaction, event)
  }
}

const LONG_MS = 30_000

/** What a method may take where no callback waits. A late sign of life would take over from nodes that were silent only while the database was. */
export function limitOf(method: keyof PostgresWrites): number {
  return WRITES[method].commit === 'shared' || method === 'signOn' ? STORING_MS : LONG_MS
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
  const { commit, perform } = WRITES[call.method]
  if (commit === 'changing') await transaction.changeDestinations()
  const result = await perform(parts, transaction, ...(call.args as never))
  transaction.tell(toldBy(call, result))
  return result
}
