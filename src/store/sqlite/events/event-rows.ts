import type { HashedCallback } from '../../../domain/event-hash.ts'
import type { EventRows, NewEventRow } from '../../storing/event-rows.ts'
import { createPeers } from '../../storing/peers.ts'
import { createCallbackBlocks } from '../blocks/callback-blocks.ts'
import { createEventBlocks } from '../blocks/event-blocks.ts'
import { createSubjectWriter } from '../blocks/subject-writer.ts'
import type { Connection } from '../database/connection.ts'
import type { BacklogSums } from '../deliveries/backlog-sums.ts'
import { createPeerRows } from './peers.ts'
import { prepareRepeatingInsert } from './repeating-insert.ts'

/** Headers differ with the length of the body. */
const CALLBACK_COLUMNS = {
  repeated: [
    ...['remote_address', 'target', 'kind', 'environment', 'listener', 'authentication'],
    ...['peer_id', 'tls_version', 'cipher', 'content_type', 'mark'],
  ],
  own: ['id', 'received_at', 'headers', 'body', 'event_id'],
}

/**
 * The values of the statements are arguments, because a value in an array costs more, and one that is found by its name a third of the whole insert.
 *
 * @param writerEpoch claims the deliveries that are handed over
 */
export function createEventRows(db: Connection, backlogs: Pick<BacklogSums, 'added'>, writerEpoch: number): EventRows {
  const statements = prepareStatements(db, writerEpoch)
  const insertEvent = prepareEventInsert(db)
  const peers = createPeers(createPeerRows(db))
  const blocks = createEventBlocks(db, createSubjectWriter(db))
  const callbackBlocks = createCallbackBlocks(db)
  const numberOf = ({ lastInsertRowid }: { readonly lastInsertRowid: number | bigint }) => lastInsertRowid as number

  return {
    peerId: peers.idOf,
    insertCallback(callback, peerId, eventId) {
      const { receivedAt, kind, environment, listener, authentication, remoteAddress, target } = callback
      const { tlsVersion, cipher, contentType, headers, mark, body } = callback
      const callbackId = callbackBlocks.nextId()
      const repeated = [remoteAddress, target, kind, environment, listener, authentication, peerId, tlsVersion, cipher]
      const insert = statements.findCallbackInsert([...repeated, contentType, mark])
      insert.run(callbackId, receivedAt, headers, body, eventId)
      return callbackId
    },
    getCallback(callbackId) {
      const { body, ...callback } = statements.getCallback.get(callbackId) as HashedCallback & { body: Buffer }
      return { callback, body }
    },
    insertEvent(row) {
      insertEvent(row)
      blocks.opened(row.position)
    },
    insertDue(position, destinationId, at, dueAt, orderKey) {
      const id = numberOf(statements.insertDue.run(position, destinationId, at, dueAt, orderKey))
      backlogs.added(destinationId, id, 'pending', false)
      return id
    },
    insertBlocked(position, destinationId, at, orderKey) {
      const id = numberOf(statements.insertBlocked.run(position, destinationId, at, orderKey))
      backlogs.added(destinationId, id, 'blocked', false)
      return id
    },
    insertHanded: (position, destinationId, at, leaseUntil, orderKey) =>
      numberOf(statements.insertHanded.run(position, destinationId, at, leaseUntil, at, orderKey)),
    countDuplicate: (position, seenAt) => void statements.countDuplicate.run(seenAt, position),
    countDuplicates: (position, times, lastSeenAt) =>
      void statements.countDuplicates.run({ position, times, lastSeenAt }),
    insertRepeat: (repeat) => void statements.insertRepeat.run(repeat),
    committed: peers.committed,
    rolledBack() {
      blocks.rolledBack()
      callbackBlocks.rolledBack()
      peers.rolledBack()
    },
  }
}

function prepareStatements(db: Connection, writerEpoch: number) {
  return {
    findCallbackInsert: prepareRepeatingInsert(db, { table: 'callbacks', ...CALLBACK_COLUMNS }),
    getCallback: db.prepare<[number], HashedCallback & { body: Buffer }>(`
      select c.kind, listener, authentication, p.fingerprint as peerFingerprint, remote_address as remoteAddress, target,
        tls_version as tlsVersion, cipher, content_type as contentType, headers, mark, body
      from callbacks c left join peers p on p.id = c.peer_id where c.id = ?`),
    insertDue: db.prepare(`
      insert into deliveries (state, is_first, event_id, destination_id, created_at, next_attempt_at, order_key)
      values ('pending', 1, ?, ?, ?, ?, ?)`),
    insertBlocked: db.prepare(`
      insert into deliveries (state, is_first, event_id, destination_id, created_at, order_key) values ('blocked', 1, ?, ?, ?, ?)`),
    // As a claim leaves it.
    insertHanded: db.prepare(`
      insert into deliveries (state, is_first, attempts, claimed_by, event_id, destination_id, created_at, next_attempt_at, claimed_at, order_key)
      values ('pending', 1, 1, ${writerEpoch}, ?, ?, ?, ?, ?, ?)`),
    countDuplicate: db.prepare('update events set duplicates = duplicates + 1, last_seen_at = ? where id = ?'),
    countDuplicates: db.prepare(`
      update events set duplicates = duplicates + :times, last_seen_at = max(coalesce(last_seen_at, received_at), :lastSeenAt)
      where id = :position`),
    insertRepeat: db.prepare(`
      insert into repeats (callback_id, item_start, item_end, environment, subject)
      values (:callbackId, :itemStart, :itemEnd, :environment, :subject)`),
  }
}

function prepareEventInsert(db: Connection): (row: NewEventRow) => void {
  const insertSingle = db.prepare(`
    insert into events (part, parts, is_single, id, nonce, callback_id, kind, environment, received_at, subject, status,
      fact_hash, payload_hash, hash, first_delivery, last_delivery)
    values (1, 1, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const insertAny = db.prepare<unknown[]>(`
    insert into events (id, nonce, callback_id, kind, environment, received_at, subject, status,
      fact_hash, payload_hash, hash, first_delivery, last_delivery,
      part, parts, is_single, array_start, array_end, item_start, item_end)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)

  return function insertEvent(row) {
    const { position, nonce, callbackId, environment, receivedAt, hashes, deliveries } = row
    const { kind, subject, status, part, parts, span, hash } = row.fact
    if (row.isSingle && parts === 1 && span === null) {
      insertSingle.run(
        position,
        nonce,
        callbackId,
        kind,
        environment,
        receivedAt,
        subject,
        status,
        hash,
        hashes.payload,
        hashes.event,
        deliveries.first,
        deliveries.last,
      )
      return
    }
    const received = [position, nonce, callbackId, kind, environment, receivedAt, subject, status]
    const assigned = [hash, hashes.payload, hashes.event, deliveries.first, deliveries.last]
    const { arrayStart, arrayEnd, itemStart, itemEnd } = span ?? NO_SPAN
    insertAny.run(received, assigned, [part, parts, row.isSingle ? 1 : null, arrayStart, arrayEnd, itemStart, itemEnd])
  }
}

const NO_SPAN = { arrayStart: null, arrayEnd: null, itemStart: null, itemEnd: null }
