import { bytesOfFact, type Fact } from '../../domain/event.ts'
import { type HashedCallback, payloadHashOf } from '../../domain/event-hash.ts'
import { eventId, newNonce } from '../../domain/public-id.ts'
import type { Realm } from '../../domain/realm.ts'
import type { CallbackValues, Deduplication, EventChain } from './event-rows.ts'
import {
  createNewDeliveries,
  type DeliveryTargets,
  type NewDeliveries,
  type NewDeliveriesParts,
} from './new-deliveries.ts'

/** Decides what is stored of callbacks, events and deliveries, whatever the store is made of. Inside the transaction. */
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
  parts: NewDeliveriesParts & { readonly chain: EventChain; readonly deduplication: Deduplication },
  firstWaitMs: number,
): EventWriter {
  const { chain, deduplication, handOver, rows } = parts
  const insertDeliveries = createNewDeliveries(parts, firstWaitMs)

  function insertEvent(from: Source, callbackRow: CallbackRow, fact: Fact, targets: DeliveryTargets): NewEvent {
    const nonce = newNonce()
    const position = chain.nextPosition()
    const { environment, receivedAt } = from
    const { authentication } = callbackRow.callback
    const { kind, subject, status, part, parts, span, hash: factHash } = fact
    const payloadHash = payloadHashOf(bytesOfFact(callbackRow.body, span))
    // No object is spread here: behind other members that costs as much as a hash.
    const hash = chain.append(
      { position, nonce, kind, environment, receivedAt, subject, status, part, parts, span, factHash, payloadHash },
      callbackRow.callback,
    )
    // First, because the event names them.
    const deliveries = insertDeliveries({ environment, authentication }, position, fact, targets)
    const { callbackId, eventId: singleId } = callbackRow
    const hashes = { payload: Buffer.from(payloadHash, 'hex'), event: hash }
    const isSingle = singleId === position
    rows.insertEvent({ position, nonce, callbackId, environment, receivedAt, fact, isSingle, hashes, deliveries })
    deduplication.add(factHash, position, receivedAt)
    return { position, id: eventId(position, nonce), deliveries }
  }

  function insertCallback(callback: CallbackValues, isSingle: boolean): CallbackRow {
    const { receivedAt, kind, environment, listener, authentication, peer, remoteAddress, target } = callback
    const { tlsVersion, cipher, contentType, headers, mark, body } = callback
    const peerId = peer === null ? null : rows.peerId(peer, environment, receivedAt)
    const eventId = isSingle ? chain.nextPosition() : null
    const callbackId = rows.insertCallback(callback, peerId, eventId)
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

  return {
    insertCallback,
    findCallback: (callbackId) => ({ callbackId, eventId: null, ...rows.getCallback(callbackId) }),
    insertEvent,
    committed() {
      rows.committed()
      handOver.committed()
    },
    rolledBack() {
      chain.rolledBack()
      rows.rolledBack()
      handOver.rolledBack()
    },
  }
}
