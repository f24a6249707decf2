import type { NewCallback } from '../../../domain/event.ts'
import type { StoredCallback } from '../../../domain/event-record.ts'
import { messageOf, PortariaError } from '../../../platform/errors.ts'
import { createChain } from '../audit/audit-chain.ts'
import { createRefusals } from '../audit/refusals.ts'
import { createClients } from '../clients/clients.ts'
import { createClockRecord } from '../database/clock.ts'
import { type Connection, isBrokenConnection, isDiskError } from '../database/connection.ts'
import { createClaims, voidOldClaims } from '../deliveries/claims.ts'
import { createDeliveryActions } from '../deliveries/delivery-actions.ts'
import { createDestinations } from '../deliveries/destinations.ts'
import { createExpiryRecord } from '../deliveries/expiry.ts'
import { createOrderKeys } from '../deliveries/order-keys.ts'
import { createReplays } from '../deliveries/replays.ts'
import { createRequeue } from '../deliveries/requeue.ts'
import { createConsumers } from '../events/consumers.ts'
import { createInactivityRecord } from '../events/inactivity.ts'
import { createQuarantine } from '../events/quarantine.ts'
import { createCallbackWriter, summaryOf, withoutFacts } from '../events/store-callback.ts'
import { createSpaceReclaimer } from '../retention/reclaim.ts'
import { createRedaction } from '../retention/redaction.ts'
import { createRetention } from '../retention/retention.ts'
import type { Result, WriteOperation } from './operations.ts'

export interface Writer {
  /** A number that no earlier process had: it fences claims. */
  readonly owner: number
  /** One result an operation, in order. Never throws. */
  run(operations: readonly WriteOperation[]): { results: Result[]; broken: boolean }
}

/** Operations that share a commit. The others change what the writer matches against, and have a commit of their own. */
const SHARED = new Set<WriteOperation['method']>([
  'storeCallback',
  'claimDeliveries',
  'recordAttempts',
  'releaseClaims',
  'keepDestinationCertificate',
  'raiseExpiryWarning',
  'raiseInactivity',
  'leaseBatch',
  'acknowledgeBatch',
  'seekConsumer',
  'deleteConsumer',
])

/**
 * What a power failure may undo: a claim that is lost is only claimed again, a batch only lent again, what was old enough only removed again. Everything else is told to somebody, so it must be on disk first. (A crash of
 * the process alone loses neither.)
 */
const UNSYNCED = new Set<WriteOperation['method']>(['claimDeliveries', 'releaseClaims', 'leaseBatch', 'removeAged'])

/** @param options.owner that of this process's earlier writer, whose claims are still held; left out: a new one, and all old claims are void */
export function createWriter(
  db: Connection,
  options: { deduplicationWindowMs: number; firstWaitMs: number; now: () => number; owner?: number },
): Writer {
  const owner = options.owner ?? nextOwner(db)
  if (options.owner === undefined) voidOldClaims(db, options.now())
  const orderKeys = createOrderKeys(db, options.firstWaitMs)
  const destinations = createDestinations(db, orderKeys)
  const quarantine = createQuarantine(db, options.deduplicationWindowMs, options.now)
  const chain = createChain(db)
  const ingest = createCallbackWriter(db, { orderKeys, quarantine, chain }, options)
  const claims = createClaims(db, { owner, orderKeys, destinations })
  const owing = { destinations, orderKeys, redelivery: createRequeue(db, destinations, orderKeys) }
  const actions = createDeliveryActions(db, owing)
  const replays = createReplays(db, owing)
  const refusals = createRefusals(db)
  const shedding = createSpaceReclaimer(db)
  const expiry = createExpiryRecord(db)
  const silences = createInactivityRecord(db)
  const clients = createClients(db)
  const consumers = createConsumers(db)
  const clock = createClockRecord(db)
  const retention = createRetention(db, { orderKeys, chain })
  const redact = createRedaction(db, orderKeys)

  function perform(operation: WriteOperation): unknown {
    switch (operation.method) {
      case 'storeCallback':
        return ingest.store(operation.callback, destinations.current())
      case 'claimDeliveries':
        return claims.claim(operation.request)
      case 'recordAttempts':
        return claims.record(operation.outcomes)
      case 'releaseClaims':
        return claims.release(operation.claims)
      case 'syncDestinations':
        return destinations.sync(operation)
      case 'createDestination':
        return destinations.create(operation.settings, operation.now, operation.owner)
      case 'registerDestination':
        return destinations.register(operation.settings, operation.registration, operation.now)
      case 'updateDestination':
        return destinations.update(operation.id, operation.changes, operation.now)
      case 'rotateSecret':
        return destinations.rotateSecret(operation.id, operation.rotation)
      case 'pauseDestination':
        return destinations.pause(operation.id, operation.reason)
      case 'resumeDestination':
        return destinations.resume(operation.id)
      case 'deleteDestination':
        return destinations.remove(operation.id)
      case 'setCircuit':
        return destinations.setCircuit(operation.id, operation.openedAt)
      case 'retryDelivery':
        return actions.retry(operation.id, operation.now)
      case 'skipDelivery':
        return actions.skip(operation.id, operation.now)
      case 'replayEvent':
        return actions.replay(operation.eventId, operation.destinationId, operation.now)
      case 'createReplay':
        return replays.create(operation.replay, operation.now)
      case 'advanceReplay':
        return replays.advance(operation.step, operation.now)
      case 'cancelReplay':
        return replays.cancel(operation.id, operation.now)
      case 'exhaustDeliveries':
        return destinations.exhaustDeliveries(operation)
      case 'cancelDeliveries':
        return destinations.cancelDeliveries(operation.id, operation.limit, operation.now)
      case 'recordRefusals':
        return refusals.record(operation.batch)
      case 'recordClock':
        return clock.record(operation.clock)
      case 'dropRefusals':
        return shedding.dropRefusals(operation.limit)
      case 'clearResponseBodies':
        return shedding.clearResponseBodies(operation.after, operation.limit)
      case 'keepDestinationCertificate':
        return expiry.keepCertificate(operation.certificate, operation.now)
      case 'raiseExpiryWarning':
        if (!expiry.note(operation.warning)) return null
        return ingest.storeOwn(operation.warning.event, destinations.current())
      case 'raiseInactivity':
        if (!silences.note(operation.silence)) return null
        return ingest.storeOwn(operation.silence.event, destinations.current())
      case 'releaseQuarantined':
        return ingest.release(operation.id, operation.decision, destinations.current())
      case 'discardQuarantined':
        return quarantine.discard(operation.id, operation.decision)
      case 'createClient':
        return clients.create(operation.client, operation.now)
      case 'rotateClient':
        return clients.rotate(operation.id, operation.secret, operation.now)
      case 'revokeClient':
        return clients.revoke(operation.id, operation.now)
      case 'leaseBatch':
      case 'acknowledgeBatch':
      case 'seekConsumer':
      case 'deleteConsumer':
        return consumers.perform(operation)
      case 'announceRemoval':
        return retention.announce(operation.reach, operation.now)
      case 'removeAged':
        return retention.removeAged(operation.removal, operation.now)
      case 'redact':
        return redact(operation.step, operation.now)
      case 'checkpointWal':
        throw new Error('the log cannot be emptied inside a transaction')
      case 'keepTokenKey':
        return clients.keepTokenKey(operation.offered)
    }
  }

  let isSyncing = true
  /** Whether the next commit is on disk before it returns. In the WAL a commit that is synced takes all earlier ones along. */
  function setSyncing(isWanted: boolean): void {
    if (isWanted === isSyncing) return
    db.pragma(isWanted ? 'synchronous = FULL' : 'synchronous = NORMAL')
    isSyncing = isWanted
  }

  const transaction = db.transaction((operations: readonly WriteOperation[]) => operations.map(perform))

  /** All of them in one commit, or an error and none of them. */
  function commit(operations: readonly WriteOperation[]): unknown[] {
    ingest.prepareBatch(
      operations.reduce((sum, o) => sum + (o.method === 'storeCallback' ? o.callback.facts.length : 0), 0),
    )
    setSyncing(!operations.every(({ method }) => UNSYNCED.has(method)))
    try {
      const values = transaction.immediate(operations)
      ingest.committed()
      return values
    } catch (error) {
      ingest.rolledBack()
      throw error
    } finally {
      if (!operations.every(leavesDestinations)) destinations.reload()
    }
  }

  /** In no transaction. Nobody waits for somebody who reads in the log just now. */
  function checkpointWal(): boolean {
    const [timeout] = db.pragma('busy_timeout') as { timeout: number }[]
    db.pragma('busy_timeout = 0')
    try {
      const [checkpoint] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
      return checkpoint?.busy === 0
    } finally {
      db.pragma(`busy_timeout = ${timeout?.timeout ?? 0}`)
    }
  }

  function commitAlone(operation: WriteOperation): Result {
    try {
      if (operation.method === 'checkpointWal') return { ok: true, value: checkpointWal() }
      return { ok: true, value: commit([operation])[0] }
    } catch (error) {
      if (operation.method !== 'storeCallback' || isDiskError(error)) return failure(error)
      return commitUnparsed(operation.callback)
    }
  }

  function commitUnparsed(callback: NewCallback): Result {
    try {
      const bare = withoutFacts(callback)
      const [value] = commit([{ method: 'storeCallback', callback: bare }]) as [StoredCallback]
      return { ok: true, value: { ...value, made: bare.facts.map(summaryOf) } }
    } catch (error) {
      return failure(error)
    }
  }

  function commitGroup(operations: readonly WriteOperation[]): Result[] {
    if (operations.length === 1) return operations.map(commitAlone)
    try {
      return commit(operations).map((value) => ({ ok: true, value }))
    } catch (error) {
      // The disk failed all of them; anything else is the fault of one, which must not fail the others.
      return isDiskError(error) ? operations.map(() => failure(error)) : operations.map(commitAlone)
    }
  }

  return {
    owner,
    run(operations) {
      const results: Result[] = []
      for (const group of groupsOf(operations)) {
        results.push(...commitGroup(group))
        if (results.some(isBroken)) {
          while (results.length < operations.length) results.push(results.at(-1) as Result)
          return { results, broken: true }
        }
      }
      return { results, broken: false }
    },
  }
}

function groupsOf(operations: readonly WriteOperation[]): WriteOperation[][] {
  const groups: WriteOperation[][] = []
  for (const operation of operations) {
    const last = groups.at(-1)
    if (last?.[0] !== undefined && isShared(operation) && isShared(last[0])) last.push(operation)
    else groups.push([operation])
  }
  return groups
}

function isShared(operation: WriteOperation): boolean {
  return SHARED.has(operation.method)
}

/** They have a commit of their own only so that what fails them fails no callback with them. */
const ALONE = new Set<WriteOperation['method']>([
  'announceRemoval',
  'removeAged',
  'redact',
  'checkpointWal',
  'recordRefusals',
  'recordClock',
  'dropRefusals',
  'clearResponseBodies',
  'createReplay',
  'advanceReplay',
  'cancelReplay',
])

function leavesDestinations(operation: WriteOperation): boolean {
  return isShared(operation) || ALONE.has(operation.method)
}

function failure(error: unknown): Result {
  if (error instanceof PortariaError) return { ok: false, error }
  return {
    ok: false,
    error: new PortariaError('store_unavailable', `the database refused the write: ${messageOf(error)}`, {
      cause: error,
    }),
  }
}

function isBroken(result: Result): boolean {
  return !result.ok && isBrokenConnection(result.error.cause)
}

/** A number that no earlier process had: it fences claims. */
function nextOwner(db: Connection): number {
  const row = db
    .prepare<[], { value: string }>(`
      insert into meta (key, value) values ('owner', '1') on conflict (key) do update set value = cast(value as integer) + 1 returning value`)
    .get()
  return Number(row?.value)
}
