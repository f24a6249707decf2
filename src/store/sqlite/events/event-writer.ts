import { bytesOfFact, type Fact, type NewCallback } from '../../../domain/event.ts'
import { type HashedCallback, payloadHashOf } from '../../../domain/event-hash.ts'
import { eventId, newNonce } from '../../../domain/public-id.ts'
import type { Realm } from '../../../domain/realm.ts'
import type { AuditChain } from '../audit/audit-chain.ts'
import { createCallbackBlocks } from '../blocks/callback-blocks.ts'
import { createEventBlocks } from '../blocks/event-blocks.ts'
import { createSubjectWriter } from '../blocks/subject-writer.ts'
import type { Connection } from '../database/connection.ts'
import type { Deduplication } from '../deduplication/deduplication.ts'
import { prepareEventStatements } from './event-statements.ts'
import {
  createNewDeliveries,
  type DeliveryTargets,
  type NewDeliveries,
  type NewDeliveriesParts,
} from './new-deliveries.ts'
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
  readonly environment: Realm
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

export function createEventWriter(
  db: Connection,
  parts: NewDeliveriesParts & { readonly auditChain: AuditChain; readonly deduplication: Deduplication },
  { firstWaitMs, writerEpoch }: { readonly firstWaitMs: number; readonly writerEpoch: number },
): EventWriter {
  const { auditChain, deduplication, handOver } = parts
  const statements = prepareEventStatements(db, writerEpoch)
  const insertDeliveries = createNewDeliveries(statements, parts, firstWaitMs)
  const peers = createPeers(db)
  const blocks = createEventBlocks(db, createSubjectWriter(db))
  const callbackBlocks = createCallbackBlocks(db)

  function insertEvent(from: Source, callbackRow: CallbackRow, fact: Fact, targets: DeliveryTargets): NewEvent {
    const nonce = newNonce()
    const position = auditChain.nextPosition()
    const { environment, receivedAt } = from
    const { authentication } = callbackRow.callback
    const { kind, subject, status, part, parts, span, hash: factHash } = fact
    const payloadHash = payloadHashOf(bytesOfFact(callbackRow.body, span))
    // No object is spread here: behind other members that costs as much as a hash.
    const hash = auditChain.append(
      { position, nonce, kind, environment, receivedAt, subject, status, part, parts, span, factHash, payloadHash },
      callbackRow.callback,
    )
    // First, because the event names them.
    const deliveries = insertDeliveries({ environment, authentication }, position, fact, targets)
    const { callbackId, eventId: singleId } = callbackRow
    const hashes = { payload: Buffer.from(payloadHash, 'hex'), event: hash }
    const isSingle = singleId === position
    statements.insertEvent({ position, nonce, callbackId, environment, receivedAt, fact, isSingle, hashes, deliveries })
    deduplication.add(factHash, position, receivedAt)
    blocks.opened(position)
    return { position, id: eventId(position, nonce), deliveries }
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
