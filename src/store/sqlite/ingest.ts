import { type Destination, isOwed } from '../../domain/destination.ts'
import type { Environment, Fact, NewCallback, OwnEvent } from '../../domain/event.ts'
import { unparsedInterpretation } from '../../domain/interpretation.ts'
import { eventId, newNonce } from '../../domain/public-id.ts'
import type { RaisedWarning, StoredCallback } from '../../domain/store.ts'
import type { Connection } from './connection.ts'
import { FactIndex } from './fact-index.ts'
import { createPeers } from './peers.ts'
import { subjectHash } from './subject-hash.ts'
import { orderKeyOf, type SubjectLines } from './subject-lines.ts'

export interface Ingest {
  /** Makes room for a batch; call it before the transaction begins. */
  prepareBatch(facts: number): void
  /** Inside the transaction. */
  store(callback: NewCallback, destinations: readonly Destination[]): StoredCallback
  /** Inside the transaction: an event of kind `operator`. */
  storeOwn(event: OwnEvent, destinations: readonly Destination[]): RaisedWarning
  /** After the commit: what was added counts from now on. */
  committed(): void
  /** After a rollback: what was added never happened. */
  rolledBack(): void
}

/** What an event takes over from where it came. */
interface Source {
  readonly environment: Environment
  readonly receivedAt: number
}

/** The callback with nothing read from it, for the second try of one that could not be stored as it was. */
export function withoutFacts(callback: NewCallback): NewCallback {
  return { ...callback, ...unparsedInterpretation(callback.kind) }
}

/** @param deduplicationWindowMs how long a fact is remembered to recognise it again */
export function createIngest(
  db: Connection,
  lines: SubjectLines,
  options: { deduplicationWindowMs: number; firstWaitMs: number; now: () => number },
): Ingest {
  const { deduplicationWindowMs, firstWaitMs, now } = options
  const statements = prepareStatements(db)
  const peers = createPeers(db)
  const index = new FactIndex()
  const added: { hash: Uint8Array; position: number }[] = []
  loadFactIndex(db, index, now() - deduplicationWindowMs)

  function findOriginal(fact: Fact): number | null {
    const { hash } = fact
    if (hash === null) return null
    return index.find(hash, (position) => {
      const row = statements.hashOf.get(position)
      return (
        row !== undefined &&
        Buffer.compare(row.fact_hash, hash) === 0 &&
        row.received_at > now() - deduplicationWindowMs
      )
    })
  }

  function insertEvent(from: Source, callbackId: number, fact: Fact): { position: number; id: string } {
    const nonce = newNonce()
    const { lastInsertRowid } = statements.insertEvent.run({
      nonce,
      callbackId,
      kind: fact.kind,
      environment: from.environment,
      receivedAt: from.receivedAt,
      subject: fact.subject,
      subjectHash: fact.subject === null ? null : subjectHash(fact.subject),
      status: fact.status,
      part: fact.part,
      parts: fact.parts,
      arrayStart: fact.span?.arrayStart ?? null,
      arrayEnd: fact.span?.arrayEnd ?? null,
      itemStart: fact.span?.itemStart ?? null,
      itemEnd: fact.span?.itemEnd ?? null,
      factHash: fact.hash,
    })
    const position = Number(lastInsertRowid)
    if (fact.hash !== null) {
      index.add(fact.hash, position)
      added.push({ hash: fact.hash, position })
    }
    return { position, id: eventId(position, nonce) }
  }

  /** Whether it can be claimed: not behind another delivery of its subject. */
  function insertDelivery(position: number, destination: Destination, orderKey: number | null, at: number): boolean {
    const isBlocked = orderKey !== null && lines.isTaken(destination.id, orderKey)
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

  /** Returns those that can be claimed at once, by their destinations. */
  function insertDeliveries(
    from: Source,
    position: number,
    fact: Fact,
    destinations: readonly Destination[],
  ): number[] {
    const { environment, receivedAt } = from
    const destinationIds: number[] = []
    for (const destination of destinations) {
      if (!isOwed(destination, { kind: fact.kind, environment, subject: fact.subject })) continue
      const orderKey = orderKeyOf(destination, { environment, subject: fact.subject })
      if (insertDelivery(position, destination, orderKey, receivedAt)) destinationIds.push(destination.id)
    }
    return destinationIds
  }

  function insertCallback(callback: NewCallback): number {
    const { facts: _facts, peer, ...columns } = callback
    const peerId = peer === null ? null : peers.idOf(peer, callback.environment, callback.receivedAt)
    return Number(statements.insertCallback.run({ ...columns, peerId }).lastInsertRowid)
  }

  return {
    prepareBatch(facts) {
      index.reserve(facts, () => oldestPosition(db, now() - deduplicationWindowMs))
    },

    store(callback, destinations) {
      const originals = callback.facts.map(findOriginal)
      const duplicates = originals.filter((position) => position !== null)
      if (duplicates.length === callback.facts.length) {
        for (const position of duplicates) statements.countDuplicate.run(callback.receivedAt, position)
        return { callbackId: null, eventIds: [], duplicates: duplicates.length, destinationIds: [] }
      }
      const callbackId = insertCallback(callback)
      const eventIds: string[] = []
      const destinationIds: number[] = []
      let repeated = 0
      for (const fact of callback.facts) {
        // Looked up again: an equal fact may stand earlier in this very callback.
        const original = findOriginal(fact)
        if (original !== null) {
          statements.countDuplicate.run(callback.receivedAt, original)
          repeated++
          continue
        }
        const event = insertEvent(callback, callbackId, fact)
        eventIds.push(event.id)
        destinationIds.push(...insertDeliveries(callback, event.position, fact, destinations))
      }
      return { callbackId, eventIds, duplicates: repeated, destinationIds }
    },

    storeOwn({ environment, madeAt: receivedAt, subject, status, body }, destinations) {
      const from = { environment, receivedAt }
      const callbackId = Number(statements.insertOwn.run({ ...from, body: Buffer.from(body) }).lastInsertRowid)
      const fact = { kind: 'operator', subject, status, hash: null, span: null, part: 1, parts: 1 }
      const event = insertEvent(from, callbackId, fact)
      return { eventId: event.id, destinationIds: insertDeliveries(from, event.position, fact, destinations) }
    },

    committed() {
      added.length = 0
      peers.committed()
    },

    rolledBack() {
      for (const { hash, position } of added.reverse()) index.undo(hash, position)
      added.length = 0
      peers.rolledBack()
    },
  }
}

function prepareStatements(db: Connection) {
  return {
    hashOf: db.prepare<[number], { fact_hash: Buffer; received_at: number }>(
      'select fact_hash, received_at from events where id = ? and fact_hash is not null',
    ),
    countDuplicate: db.prepare('update events set duplicates = duplicates + 1, last_seen_at = ? where id = ?'),
    insertCallback: db.prepare(`
      insert into callbacks (received_at, kind, environment, listener, authentication, peer_id, remote_address, target,
        tls_version, cipher, content_type, headers, mark, body)
      values (:receivedAt, :kind, :environment, :listener, :authentication, :peerId, :remoteAddress, :target,
        :tlsVersion, :cipher, :contentType, :headers, :mark, :body)`),
    insertOwn: db.prepare(`
      insert into callbacks (received_at, kind, environment, authentication, content_type, headers, body)
      values (:receivedAt, 'operator', :environment, 'none', 'application/json', '[]', :body)`),
    insertEvent: db.prepare(`
      insert into events (nonce, callback_id, kind, environment, received_at, subject, subject_hash, status, part, parts,
        array_start, array_end, item_start, item_end, fact_hash)
      values (:nonce, :callbackId, :kind, :environment, :receivedAt, :subject, :subjectHash, :status, :part, :parts,
        :arrayStart, :arrayEnd, :itemStart, :itemEnd, :factHash)`),
    insertDelivery: db.prepare(
      'insert into deliveries (event_id, destination_id, state, order_key, created_at, next_attempt_at) values (?, ?, ?, ?, ?, ?)',
    ),
  }
}

function loadFactIndex(db: Connection, index: FactIndex, since: number): void {
  const from = oldestPosition(db, since)
  const count = db.prepare<[number], { n: number }>('select count(*) as n from events where id >= ?').get(from)?.n ?? 0
  index.reserve(count, () => 0)
  const rows = db
    .prepare<[number], [number, Buffer]>('select id, fact_hash from events where id >= ? and fact_hash is not null')
    .raw()
  for (const [position, hash] of rows.iterate(from)) index.add(hash, position)
}

/** The first position received at `since` or later, by bisection: positions rise with time but for what quarantine released late. */
function oldestPosition(db: Connection, since: number): number {
  const at = db.prepare<[number], { id: number; received_at: number }>(
    'select id, received_at from events where id >= ? order by id limit 1',
  )
  let low = 1
  let high = db.prepare<[], { id: number | null }>('select max(id) as id from events').get()?.id ?? 0
  while (low <= high) {
    const middle = Math.floor((low + high) / 2)
    const row = at.get(middle)
    if (row === undefined || row.received_at >= since) high = middle - 1
    else low = row.id + 1
  }
  return low
}
