import type { EventSource, Peer } from '../../../domain/event.ts'
import type { Realm } from '../../../domain/realm.ts'
import type { CallbackValues, EventRows, NewEventRow, Repeat } from '../../storing/event-rows.ts'
import { createPeers } from '../../storing/peers.ts'
import type { Head } from '../database/head.ts'
import { columnsOf, type Insert, insertAll, type Value, type WriterSql } from '../database/sql.ts'
import { blocksOf } from './event-blocks.ts'
import type { KnownFacts } from './known-facts.ts'

/** Rows that the rules of storing have decided on. */
export interface PendingRows extends EventRows {
  /** What an event has beside its callback. */
  insertBody(position: number, source: EventSource, body: Uint8Array | null): void
  /** Writes all of them, and other new rows. */
  write(sql: WriterSql, others: readonly Insert[]): void
}

const PEERS = columnsOf(
  'id:bigint fingerprint:text serial:text subject:text issuer:text not_after:time pem:text environment:text first_seen_at:time last_seen_at:time',
)
const CALLBACKS = columnsOf(
  'callback_id:bigint received_at:time kind:text environment:text listener:text authentication:text peer_id:bigint remote_address:text target:text tls_version:text cipher:text content_type:text headers:text mark:text body:bytea',
)
const EVENTS = columnsOf(
  'id:bigint nonce:text callback_id:bigint kind:text environment:text received_at:time subject:text status:text part:integer parts:integer array_start:bigint array_end:bigint item_start:bigint item_end:bigint fact_hash:bytea payload_hash:bytea hash:bytea source:text body:bytea',
)
/** Columns of `callbacks` that `events` has, too. */
const COMMON = 4
/** Those of `events` that such an event has not: `source`, and a body beside that of its callback. */
const OF_OTHERS = 2
const SINGLE_CALLBACKS = [...EVENTS.slice(0, -OF_OTHERS), ...CALLBACKS.slice(COMMON)]
const DELIVERIES = columnsOf(
  'id:bigint event_id:bigint destination_id:bigint state:text attempts:integer order_key:bigint next_attempt_at:time claimed_by:bigint claimed_at:time created_at:time',
)
const REPEATS = columnsOf('callback_id:bigint item_start:bigint item_end:bigint environment:text subject:text')

/** @param fences claim the deliveries that are handed over */
export function createPendingRows(head: Head, known: KnownFacts, fences: ReadonlyMap<number, number>): PendingRows {
  const peers: Value[][] = []
  const seen: { readonly id: number; readonly environment: Realm; readonly seenAt: number }[] = []
  const callbacks: Value[][] = []
  /** By the position of their one event. */
  const single = new Map<number, { readonly kind: string; readonly row: Value[] }>()
  const events = new Map<number, NewEventRow & { source?: EventSource; body?: Uint8Array | null }>()
  const deliveries: Value[][] = []
  const repeats: Repeat[] = []
  const counted: {
    readonly position: number
    readonly times: number
    readonly at: number
    readonly isLater: boolean
  }[] = []
  const callers = createPeers({
    find: (fingerprint) => known.peers.get(fingerprint) ?? null,
    insert({ fingerprint, serial, subject, issuer, notAfter, pem }: Peer, environment, seenAt) {
      head.peer++
      peers.push([head.peer, fingerprint, serial, subject, issuer, notAfter, pem, environment, seenAt, seenAt])
      return head.peer
    },
    see: (peer) => {
      seen.push(peer)
    },
  })

  function insertDelivery(...row: Value[]): number {
    head.delivery++
    deliveries.push([head.delivery, ...row])
    return head.delivery
  }

  return {
    peerId: callers.idOf,
    insertCallback(callback, peerId, eventId) {
      head.callback++
      const row = callbackRow(head.callback, callback, peerId)
      if (eventId === null) callbacks.push(row)
      else single.set(eventId, { kind: callback.kind, row })
      return head.callback
    },
    getCallback: (callbackId) => known.callbacks.get(callbackId) as NonNullable<ReturnType<EventRows['getCallback']>>,
    insertEvent: (row) => {
      events.set(row.position, row)
    },
    insertBody: (position, source, body) => {
      Object.assign(events.get(position) ?? {}, { source, body })
    },
    insertDue: (position, destinationId, at, dueAt, orderKey) =>
      insertDelivery(position, destinationId, 'pending', 0, orderKey, dueAt, null, null, at),
    insertBlocked: (position, destinationId, at, orderKey) =>
      insertDelivery(position, destinationId, 'blocked', 0, orderKey, null, null, null, at),
    insertHanded: (position, destinationId, at, leaseUntil, orderKey) =>
      insertDelivery(position, destinationId, 'pending', 1, orderKey, leaseUntil, fences.get(destinationId), at, at),
    countDuplicate: (position, at) => {
      counted.push({ position, times: 1, at, isLater: false })
    },
    countDuplicates: (position, times, at) => {
      counted.push({ position, times, at, isLater: true })
    },
    insertRepeat: (repeat) => {
      repeats.push(repeat)
    },
    committed: () => undefined,
    rolledBack: () => undefined,

    write(sql, others) {
      const [apart, together]: [Value[][], Value[][]] = [[], []]
      for (const event of events.values()) {
        const callback = single.get(event.position)
        const row = eventRow(event)
        // A row has one kind.
        if (callback?.kind === event.fact.kind)
          together.push([...row.slice(0, -OF_OTHERS), ...callback.row.slice(COMMON)])
        else {
          apart.push(row)
          if (callback !== undefined) callbacks.push(callback.row)
        }
      }
      for (const peer of seen)
        sql.send('update peers set last_seen_at = at_ms(:seenAt), environment = :environment where id = :id', peer)
      insertAll(sql, [
        { table: 'peers', columns: PEERS, rows: peers },
        { table: 'callbacks', columns: CALLBACKS, rows: callbacks },
        { table: 'events', columns: EVENTS, rows: apart },
        { table: 'single_callbacks', columns: SINGLE_CALLBACKS, rows: together },
        { table: 'deliveries', columns: DELIVERIES, rows: deliveries },
        { table: 'repeats', columns: REPEATS, rows: repeats.map(repeatRow) },
        blocksOf([...events.values()]),
        ...others,
      ])
      writeCounted(sql, counted)
    },
  }
}

function callbackRow(id: number, callback: CallbackValues, peerId: number | null): Value[] {
  const { receivedAt, kind, environment, listener, authentication, remoteAddress, target } = callback
  const { tlsVersion, cipher, contentType, headers, mark, body } = callback
  const received = [id, receivedAt, kind, environment, listener, authentication, peerId, remoteAddress, target]
  return [...received, tlsVersion, cipher, contentType, headers, mark, body]
}

function eventRow(row: NewEventRow & { readonly source?: EventSource; readonly body?: Uint8Array | null }): Value[] {
  const { position, nonce, callbackId, environment, receivedAt, fact, hashes, source, body } = row
  const { kind, subject, status, part, parts, span, hash } = fact
  const place = [span?.arrayStart, span?.arrayEnd, span?.itemStart, span?.itemEnd]
  const received = [position, nonce, callbackId, kind, environment, receivedAt, subject, status, part, parts, ...place]
  return [...received, hash, hashes.payload, hashes.event, source, body]
}

function repeatRow({ callbackId, itemStart, itemEnd, environment, subject }: Repeat): Value[] {
  return [callbackId, itemStart, itemEnd, environment, subject]
}

/** The last receipt counts, or the latest. */
function writeCounted(
  sql: WriterSql,
  counted: readonly {
    readonly position: number
    readonly times: number
    readonly at: number
    readonly isLater: boolean
  }[],
): void {
  const sums = new Map<number, { times: number; at: number; isLater: boolean }>()
  for (const { position, times, at, isLater } of counted)
    sums.set(position, { times: times + (sums.get(position)?.times ?? 0), at, isLater })
  if (sums.size === 0) return
  const rows = [...sums.values()]
  sql.send(
    `update events e set duplicates = duplicates + r.times,
      last_seen_at = case when is_later then greatest(coalesce(last_seen_at, received_at), at_ms(r.seen_at)) else at_ms(r.seen_at) end
    from unnest(:positions::bigint[], :times::integer[], :at::bigint[], :isLater::boolean[]) as r (position, times, seen_at, is_later)
    where e.id = r.position`,
    {
      positions: [...sums.keys()],
      times: rows.map(({ times }) => times),
      at: rows.map(({ at }) => at),
      isLater: rows.map(({ isLater }) => isLater),
    },
  )
}
