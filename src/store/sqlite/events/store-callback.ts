import { type Destination, isSubscribed } from '../../../domain/destination.ts'
import { bytesOfFact, type Environment, type Fact, type NewCallback, type OwnEvent } from '../../../domain/event.ts'
import { type HashedCallback, payloadHashOf } from '../../../domain/event-hash.ts'
import type { StoredCallback } from '../../../domain/event-record.ts'
import { unparsedInterpretation } from '../../../domain/interpretation.ts'
import { eventId, newNonce, numberedId } from '../../../domain/public-id.ts'
import type { Decision, ReleasedFact } from '../../../domain/quarantine.ts'
import type { RaisedWarning } from '../../../domain/store.ts'
import type { AuditChain } from '../audit/audit-chain.ts'
import type { Connection } from '../database/connection.ts'
import { type OrderKeys, orderKeyOf } from '../deliveries/order-keys.ts'
import { createDeduplication } from './deduplication.ts'
import { createEventBlocks } from './event-blocks.ts'
import { createPeers } from './peers.ts'
import type { HeldFact, Quarantine } from './quarantine.ts'
import { subjectHash } from './subject-hash.ts'

export interface CallbackWriter {
  /** Makes room for a batch. Before the transaction. */
  prepareBatch(facts: number): void
  /** Inside the transaction. */
  store(callback: NewCallback, destinations: readonly Destination[]): StoredCallback
  /** Inside the transaction: an event of kind `operator`. */
  storeOwn(event: OwnEvent, destinations: readonly Destination[]): RaisedWarning
  /** Inside the transaction: makes a fact in quarantine an event, or counts it with the event of an equal fact. */
  release(id: number, decision: Decision, destinations: readonly Destination[]): ReleasedFact
  /** After the commit. */
  committed(): void
  /** After a rollback: undoes all changes in memory. */
  rolledBack(): void
}

/** Fields that an event takes from its callback. */
interface Source {
  readonly environment: Environment
  readonly receivedAt: number
}

/** The row of `callbacks` with the body. */
interface Origin {
  readonly callbackId: number
  readonly callback: HashedCallback
  readonly body: Uint8Array
}

/** The deliveries of a new event. */
interface NewDeliveries {
  /** One for each delivery that can be claimed now. */
  readonly destinationIds: number[]
  /** Deliveries blocked by another one of their subject. */
  readonly blocked: number
}

/** The destinations of an event, and the creation time of its deliveries. */
interface DeliveryTargets {
  readonly destinations: readonly Destination[]
  readonly at: number
}

/** The callback as one unparsed fact, for a second attempt to store it. It goes to quarantine if any of its facts would. */
export function withoutFacts(callback: NewCallback): NewCallback {
  const isHeld = callback.facts.some(({ quarantine }) => quarantine !== undefined)
  return { ...callback, ...unparsedInterpretation(callback.kind, isHeld) }
}

export function createCallbackWriter(
  db: Connection,
  parts: { orderKeys: OrderKeys; quarantine: Quarantine; auditChain: AuditChain },
  options: { deduplicationWindowMs: number; firstWaitMs: number; now: () => number },
): CallbackWriter {
  const { orderKeys, quarantine, auditChain } = parts
  const { deduplicationWindowMs, firstWaitMs, now } = options
  const statements = prepareStatements(db)
  const peers = createPeers(db)
  const deduplication = createDeduplication(db, deduplicationWindowMs, now)
  const blocks = createEventBlocks(db)

  function insertEvent(from: Source, origin: Origin, fact: Fact): { position: number; id: string } {
    const nonce = newNonce()
    const { environment, receivedAt } = from
    const payloadHash = payloadHashOf(bytesOfFact(origin.body, fact.span))
    const hashed = { ...fact, nonce, environment, receivedAt, factHash: fact.hash, payloadHash }
    const { position, hash } = auditChain.append(hashed, origin.callback)
    const { span } = fact
    statements.insertEvent.run(
      ...[position, nonce, origin.callbackId, fact.kind, environment, receivedAt],
      ...[fact.subject, fact.subject === null ? null : subjectHash(fact.subject), fact.status, fact.part, fact.parts],
      ...(span === null ? NO_SPAN : [span.arrayStart, span.arrayEnd, span.itemStart, span.itemEnd]),
      ...[fact.hash, Buffer.from(payloadHash, 'hex'), hash],
    )
    deduplication.add(fact.hash, position)
    blocks.opened(position)
    return { position, id: eventId(position, nonce) }
  }

  /** Returns whether it can be claimed: false if another delivery of its subject blocks it. */
  function insertDelivery(position: number, destination: Destination, orderKey: number | null, at: number): boolean {
    const isBlocked = orderKey !== null && orderKeys.isTaken(destination.id, orderKey)
    const dueAt = at + (destination.schedule?.[0] ?? firstWaitMs)
    statements.insertDelivery.run(
      position,
      destination.id,
      isBlocked ? 'blocked' : 'pending',
      orderKey,
      at,
      isBlocked ? null : dueAt,
    )
    return !isBlocked
  }

  function insertDeliveries(
    environment: Environment,
    position: number,
    fact: Fact,
    targets: DeliveryTargets,
  ): NewDeliveries {
    const destinationIds: number[] = []
    let blocked = 0
    for (const destination of targets.destinations) {
      if (!isSubscribed(destination, { kind: fact.kind, environment, subject: fact.subject })) continue
      const orderKey = orderKeyOf(destination, { environment, subject: fact.subject })
      if (insertDelivery(position, destination, orderKey, targets.at)) destinationIds.push(destination.id)
      else blocked++
    }
    return { destinationIds, blocked }
  }

  function insertCallback(callback: NewCallback): Origin {
    const { facts: _facts, peer, ...columns } = callback
    const peerId = peer === null ? null : peers.idOf(peer, callback.environment, callback.receivedAt)
    const { receivedAt, kind, environment, listener, authentication, remoteAddress, target } = callback
    const { tlsVersion, cipher, contentType, headers, mark, body } = callback
    const { lastInsertRowid } = statements.insertCallback.run(
      ...[receivedAt, kind, environment, listener, authentication, peerId, remoteAddress, target],
      ...[tlsVersion, cipher, contentType, headers, mark, body],
    )
    const callbackId = Number(lastInsertRowid)
    return { callbackId, callback: { ...columns, peerFingerprint: peer?.fingerprint ?? null }, body }
  }

  function findOrigin(callbackId: number): Origin {
    const { body, ...callback } = statements.getCallback.get(callbackId) as HashedCallback & { body: Buffer }
    return { callbackId, callback, body }
  }

  /** A redaction must find the repeated bytes in this body, too. */
  function insertRepeat({ callbackId }: Origin, environment: Environment, { subject, span }: Fact): void {
    if (subject === null || span === null) return
    const { itemStart, itemEnd } = span
    statements.insertRepeat.run({ callbackId, itemStart, itemEnd, environment, subject })
  }

  /** Repeats during the quarantine count as duplicates. */
  function makeEvent(held: HeldFact, targets: DeliveryTargets) {
    const { position } = insertEvent(held, findOrigin(held.callbackId), held.fact)
    const { seen, lastSeenAt } = held
    if (seen > 1) statements.countDuplicates.run({ position, times: seen - 1, lastSeenAt })
    return { position, ...insertDeliveries(held.environment, position, held.fact, targets) }
  }

  return {
    prepareBatch: deduplication.reserve,

    store(callback, destinations) {
      const targets = { destinations, at: callback.receivedAt }
      const stored: { origin?: Origin } = {}
      // A callback without a new fact is not stored.
      const storeOnce = () => (stored.origin ??= insertCallback(callback))
      const eventIds: string[] = []
      const quarantineIds: string[] = []
      const destinationIds: number[] = []
      let blocked = 0
      const made: Fact[] = []
      const again: Fact[] = []
      for (const fact of callback.facts) {
        const original = deduplication.find(fact.hash)
        if (original !== null) {
          statements.countDuplicate.run(callback.receivedAt, original)
          again.push(fact)
        } else if (fact.quarantine !== undefined) {
          const held = quarantine.hold(callback, fact, () => storeOnce().callbackId)
          quarantineIds.push(numberedId('qtn', held.id))
          if (!held.isNew) again.push(fact)
        } else {
          const event = insertEvent(callback, storeOnce(), fact)
          eventIds.push(event.id)
          made.push(fact)
          const deliveries = insertDeliveries(callback.environment, event.position, fact, targets)
          destinationIds.push(...deliveries.destinationIds)
          blocked += deliveries.blocked
        }
      }
      if (stored.origin !== undefined) for (const fact of again) insertRepeat(stored.origin, callback.environment, fact)
      const duplicates = callback.facts.length - eventIds.length - quarantineIds.length
      const callbackId = stored.origin?.callbackId ?? null
      const summary = { callbackId, eventIds, duplicates, destinationIds }
      const counted = blocked === 0 ? summary : { ...summary, blocked }
      if (made.length === callback.facts.length) return counted
      return {
        ...counted,
        ...(made.length > 0 && { made: made.map(summaryOf) }),
        ...(quarantineIds.length > 0 && { quarantineIds }),
      }
    },

    storeOwn({ environment, madeAt: receivedAt, subject, status, body }, destinations) {
      const from = { environment, receivedAt }
      const callback = { ...OWN_CALLBACK, body: Buffer.from(body) }
      const callbackId = Number(statements.insertOwn.run({ ...from, ...callback }).lastInsertRowid)
      const fact = { kind: 'operator', subject, status, hash: null, span: null, part: 1, parts: 1 }
      const event = insertEvent(from, { callbackId, callback, body: callback.body }, fact)
      const targets = { destinations, at: receivedAt }
      const { destinationIds } = insertDeliveries(environment, event.position, fact, targets)
      return { eventId: event.id, destinationIds }
    },

    release(id, decision, destinations) {
      const held = quarantine.get(id)
      const original = deduplication.find(held.fact.hash)
      if (original !== null) {
        const { seen: times, lastSeenAt } = held
        statements.countDuplicates.run({ position: original, times, lastSeenAt })
        const fact = quarantine.released(id, decision, original)
        return { fact, isNew: false, destinationIds: [], blocked: 0 }
      }
      const { position, ...deliveries } = makeEvent(held, { destinations, at: decision.at })
      return { fact: quarantine.released(id, decision, position), isNew: true, ...deliveries }
    },

    committed() {
      deduplication.committed()
      peers.committed()
    },

    rolledBack() {
      auditChain.rolledBack()
      blocks.rolledBack()
      deduplication.rolledBack()
      peers.rolledBack()
    },
  }
}

/** The fields of a fact that leave the writer thread. */
export function summaryOf({ kind, subject, status }: Fact): Pick<Fact, 'kind' | 'subject' | 'status'> {
  return { kind, subject, status }
}

const OWN_CALLBACK = {
  kind: 'operator',
  listener: null,
  authentication: 'none',
  peerFingerprint: null,
  remoteAddress: null,
  target: null,
  tlsVersion: null,
  cipher: null,
  contentType: 'application/json',
  headers: '[]',
  mark: null,
} as const satisfies HashedCallback

const NO_SPAN = [null, null, null, null] as const

/** With positional values: looking them up by name costs a third of the whole insert. */
function prepareInsert(db: Connection, table: string, columns: readonly string[]) {
  return db.prepare<unknown[]>(
    `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  )
}

function prepareStatements(db: Connection) {
  return {
    countDuplicate: db.prepare('update events set duplicates = duplicates + 1, last_seen_at = ? where id = ?'),
    countDuplicates: db.prepare(`
      update events set duplicates = duplicates + :times, last_seen_at = max(coalesce(last_seen_at, received_at), :lastSeenAt)
      where id = :position`),
    insertCallback: prepareInsert(db, 'callbacks', [
      ...['received_at', 'kind', 'environment', 'listener', 'authentication', 'peer_id', 'remote_address', 'target'],
      ...['tls_version', 'cipher', 'content_type', 'headers', 'mark', 'body'],
    ]),
    insertOwn: db.prepare(`
      insert into callbacks (received_at, kind, environment, authentication, content_type, headers, body)
      values (:receivedAt, :kind, :environment, :authentication, :contentType, :headers, :body)`),
    getCallback: db.prepare<[number], HashedCallback & { body: Buffer }>(`
      select c.kind, listener, authentication, p.fingerprint as peerFingerprint, remote_address as remoteAddress, target,
        tls_version as tlsVersion, cipher, content_type as contentType, headers, mark, body
      from callbacks c left join peers p on p.id = c.peer_id where c.id = ?`),
    insertEvent: prepareInsert(db, 'events', [
      ...['id', 'nonce', 'callback_id', 'kind', 'environment', 'received_at'],
      ...['subject', 'subject_hash', 'status', 'part', 'parts'],
      ...['array_start', 'array_end', 'item_start', 'item_end'],
      ...['fact_hash', 'payload_hash', 'hash'],
    ]),
    insertRepeat: db.prepare(`
      insert into repeats (callback_id, item_start, item_end, environment, subject)
      values (:callbackId, :itemStart, :itemEnd, :environment, :subject)`),
    insertDelivery: prepareInsert(db, 'deliveries', [
      ...['event_id', 'destination_id', 'state', 'order_key', 'created_at', 'next_attempt_at'],
    ]),
  }
}
