import type { Fact } from '../../../domain/event.ts'
import type { HashedCallback } from '../../../domain/event-hash.ts'
import type { Realm } from '../../../domain/realm.ts'
import type { Connection } from '../database/connection.ts'
import { prepareRepeatingInsert } from './repeating-insert.ts'

/** Headers differ with the length of the body. */
const CALLBACK_COLUMNS = {
  repeated: [
    ...['remote_address', 'target', 'kind', 'environment', 'listener', 'authentication'],
    ...['peer_id', 'tls_version', 'cipher', 'content_type', 'mark'],
  ],
  own: ['id', 'received_at', 'headers', 'body', 'event_id'],
}

export type EventStatements = ReturnType<typeof prepareEventStatements>

/**
 * The statements of the event writer. Their values are arguments, because a value in an array costs more, and one that is found by its name a third of
 * the whole insert.
 */
export function prepareEventStatements(db: Connection, writerEpoch: number) {
  return {
    findCallbackInsert: prepareRepeatingInsert(db, { table: 'callbacks', ...CALLBACK_COLUMNS }),
    getCallback: db.prepare<[number], HashedCallback & { body: Buffer }>(`
      select c.kind, listener, authentication, p.fingerprint as peerFingerprint, remote_address as remoteAddress, target,
        tls_version as tlsVersion, cipher, content_type as contentType, headers, mark, body
      from callbacks c left join peers p on p.id = c.peer_id where c.id = ?`),
    insertEvent: prepareEventInsert(db),
    insertDue: db.prepare(`
      insert into deliveries (state, is_first, event_id, destination_id, created_at, next_attempt_at, order_key)
      values ('pending', 1, ?, ?, ?, ?, ?)`),
    insertBlocked: db.prepare(`
      insert into deliveries (state, is_first, event_id, destination_id, created_at, order_key) values ('blocked', 1, ?, ?, ?, ?)`),
    // As a claim leaves it.
    insertHanded: db.prepare(`
      insert into deliveries (state, is_first, attempts, claimed_by, event_id, destination_id, created_at, next_attempt_at, claimed_at, order_key)
      values ('pending', 1, 1, ${writerEpoch}, ?, ?, ?, ?, ?, ?)`),
  }
}

interface EventRow {
  readonly position: number
  readonly nonce: string
  readonly callbackId: number
  readonly environment: Realm
  readonly receivedAt: number
  readonly fact: Fact
  /** The only event of its callback, now and later. */
  readonly isSingle: boolean
  readonly hashes: { readonly payload: Uint8Array; readonly event: Uint8Array }
  /** The first and the last id. */
  readonly deliveries: { readonly first: number | null; readonly last: number | null }
}

function prepareEventInsert(db: Connection): (row: EventRow) => void {
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
