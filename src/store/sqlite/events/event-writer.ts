import type { HandedDelivery } from '../../../domain/delivery.ts'
import type { Destination } from '../../../domain/destination.ts'
import { bytesOfFact, type Environment, type Fact, type NewCallback } from '../../../domain/event.ts'
import { type HashedCallback, payloadHashOf } from '../../../domain/event-hash.ts'
import { eventId, newNonce } from '../../../domain/public-id.ts'
import { isWanted } from '../../../domain/service/charge-route.ts'
import type { AuditChain } from '../audit/audit-chain.ts'
import { createCallbackBlocks } from '../blocks/callback-blocks.ts'
import { createEventBlocks } from '../blocks/event-blocks.ts'
import { createSubjectWriter } from '../blocks/subject-writer.ts'
import type { Connection } from '../database/connection.ts'
import type { Deduplication } from '../deduplication/deduplication.ts'
import type { BacklogSums } from '../deliveries/backlog-sums.ts'
import type { HandOver } from '../deliveries/hand-over.ts'
import { type OrderKeys, orderKeyOf } from '../rows/order-keys.ts'
import type { ChargeRoutes } from '../service/charge-routes.ts'
import { prepareEventStatements } from './event-statements.ts'
import { createPeers } from './peers.ts'

/** Writes the rows of callbacks, events and deliveries. Inside the transaction. */
export interface EventWriter {
  /** @param isSingle its one fact becomes the next event */
  insertCallback(callback: CallbackValues, isSingle: boolean): CallbackRow
  findCallback(callbackId: number): CallbackRow
  /** With its deliveries, for the destinations that want the fact. */
  insertEvent(from: Source, callbackRow: CallbackRow, fact: Fact, targets: DeliveryTargets): NewEvent
  /** After the commit. */
  committed(): void
  /** After a rollback: undoes all changes in memory. */
  rolledBack(): void
}

/** A received callback, or the gateway's own one, which has no caller. */
export type CallbackValues = Omit<NewCallback, CallerField> & Pick<HashedCallback, CallerField>
type CallerField = 'listener' | 'authentication' | 'remoteAddress' | 'target'

/** Fields that an event takes from its callback. */
export interface Source {
  readonly environment: Environment
  readonly receivedAt: number
}

/** A row of `callbacks`, with what its events need of it. */
export interface CallbackRow {
  readonly callbackId: number
  /** The position of its one event; null: it has none yet, or has several, or may get more. */
  readonly eventId: number | null
  readonly callback: HashedCallback
  readonly body: Uint8Array
}

/** A new event with its deliveries. */
export interface NewEvent {
  readonly position: number
  readonly id: string
  readonly deliveries: NewDeliveries
}

/** The deliveries of a new event. */
export interface NewDeliveries {
  /** One for each delivery that can be claimed now. */
  readonly destinationIds: number[]
  /** Deliveries that are claimed already. */
  readonly handed: HandedDelivery[]
  /** Deliveries blocked by another one of their subject. */
  blocked: number
  /** Their ids, one after the other; null: there are none. */
  first: number | null
  last: number | null
}

/** The destinations of an event, and the creation time of its deliveries. */
export interface DeliveryTargets {
  readonly destinations: readonly Destination[]
  readonly at: number
  /** They may be claimed at once, because their bytes are the body of the callback, and take so many places. Default 0: they may not. */
  readonly handedPlaces?: number
}

export function createEventWriter(
  db: Connection,
  parts: {
    orderKeys: OrderKeys
    auditChain: AuditChain
    deduplication: Deduplication
    routes: ChargeRoutes
    handOver: HandOver
    backlogs: Pick<BacklogSums, 'added'>
  },
  { firstWaitMs, writerEpoch }: { readonly firstWaitMs: number; readonly writerEpoch: number },
): EventWriter {
  const { orderKeys, auditChain, deduplication, routes, handOver, backlogs } = parts
  const statements = prepareEventStatements(db, writerEpoch)
  const peers = createPeers(db)
  const blocks = createEventBlocks(db, createSubjectWriter(db))
  const callbackBlocks = createCallbackBlocks(db)

  function insertEvent(from: Source, callbackRow: CallbackRow, fact: Fact, targets: DeliveryTargets): NewEvent {
    const nonce = newNonce()
    const position = auditChain.nextPosition()
    const { environment, receivedAt } = from
    const { kind, subject, status, part, parts, span, hash: factHash } = fact
    const payloadHash = payloadHashOf(bytesOfFact(callbackRow.body, span))
    // No object is spread here: behind other members that costs as much as a hash.
    const hash = auditChain.append(
      { position, nonce, kind, environment, receivedAt, subject, status, part, parts, span, factHash, payloadHash },
      callbackRow.callback,
    )
    // First, because the event names them.
    const deliveries = insertDeliveries(environment, position, fact, targets)
    const { callbackId, eventId: singleId } = callbackRow
    const hashes = { payload: Buffer.from(payloadHash, 'hex'), event: hash }
    const isSingle = singleId === position
    statements.insertEvent({ position, nonce, callbackId, environment, receivedAt, fact, isSingle, hashes, deliveries })
    deduplication.add(factHash, position, receivedAt)
    blocks.opened(position)
    return { position, id: eventId(position, nonce), deliveries }
  }

  /** `blocked`: behind another delivery of its subject. */
  function insertDelivery(
    position: number,
    destination: Destination,
    orderKey: number | null,
    { at, handedPlaces = 0 }: DeliveryTargets,
  ): { id: number; state: 'blocked' | 'due' | HandedDelivery } {
    const isBlocked = orderKey !== null && orderKeys.isTaken(destination.id, orderKey)
    const waitMs = destination.schedule?.[0] ?? firstWaitMs
    const isReady = handedPlaces > 0 && !isBlocked && waitMs === 0 && isReachable(destination)
    const leaseMs = isReady ? handOver.take(destination.id, handedPlaces) : null
    if (leaseMs !== null) {
      const leaseUntil = at + leaseMs
      const { lastInsertRowid } = statements.insertHanded.run(position, destination.id, at, leaseUntil, at, orderKey)
      const id = lastInsertRowid as number
      const isInLine = orderKey !== null
      return { id, state: { deliveryId: id, destinationId: destination.id, isInLine, leaseUntil } }
    }
    if (!isBlocked) handOver.waits(destination.id)
    const { lastInsertRowid } = isBlocked
      ? statements.insertBlocked.run(position, destination.id, at, orderKey)
      : statements.insertDue.run(position, destination.id, at, at + waitMs, orderKey)
    const id = lastInsertRowid as number
    backlogs.added(destination.id, id, isBlocked ? 'blocked' : 'pending', false)
    return { id, state: isBlocked ? 'blocked' : 'due' }
  }

  function insertDeliveries(
    environment: Environment,
    position: number,
    fact: Fact,
    targets: DeliveryTargets,
  ): NewDeliveries {
    const made: NewDeliveries = { destinationIds: [], handed: [], blocked: 0, first: null, last: null }
    const event = { kind: fact.kind, environment, subject: fact.subject }
    const route = fact.references === undefined ? null : routes.routeOf(environment, fact.references)
    for (const destination of targets.destinations) {
      if (!isWanted(destination, event, route)) continue
      const orderKey = orderKeyOf(destination, { environment, subject: fact.subject })
      const { id, state } = insertDelivery(position, destination, orderKey, targets)
      made.first ??= id
      made.last = id
      if (state === 'blocked') made.blocked++
      else if (state === 'due') made.destinationIds.push(destination.id)
      else made.handed.push(state)
    }
    return made
  }

  function insertCallback(callback: CallbackValues, isSingle: boolean): CallbackRow {
    const { receivedAt, kind, environment, listener, authentication, peer, remoteAddress, target } = callback
    const { tlsVersion, cipher, contentType, headers, mark, body } = callback
    const peerId = peer === null ? null : peers.idOf(peer, environment, receivedAt)
    const callbackId = callbackBlocks.nextId()
    const eventId = isSingle ? auditChain.nextPosition() : null
    const repeated = [remoteAddress, target, kind, environment, listener, authentication, peerId, tlsVersion, cipher]
    statements.findCallbackInsert([...repeated, contentType, mark]).run(callbackId, receivedAt, headers, body, eventId)
    const peerFingerprint = peer?.fingerprint ?? null
    const hashed: HashedCallback = {
      kind,
      listener,
      authentication,
      peerFingerprint,
      remoteAddress,
      target,
      tlsVersion,
      cipher,
      contentType,
      headers,
      mark,
    }
    return { callbackId, eventId, callback: hashed, body }
  }

  function findCallback(callbackId: number): CallbackRow {
    const { body, ...callback } = statements.getCallback.get(callbackId) as HashedCallback & { body: Buffer }
    return { callbackId, eventId: null, callback, body }
  }

  return {
    insertCallback,
    findCallback,
    insertEvent,
    committed() {
      peers.committed()
      handOver.committed()
    },
    rolledBack() {
      auditChain.rolledBack()
      blocks.rolledBack()
      callbackBlocks.rolledBack()
      peers.rolledBack()
      handOver.rolledBack()
    },
  }
}

/** As far as the writer knows. The destination's worker may know more. */
function isReachable({ state, circuitOpenedAt }: Destination): boolean {
  return state === 'active' && circuitOpenedAt === null
}
