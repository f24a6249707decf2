import { TABLES as COMMON, type Column, columnsOf, type Table, tableNamed } from '../sql/tables.ts'

/*
 * What a move copies: every table with its columns. Not copied is what a database makes of them for itself: summaries, indexes, terms of the search, claims,
 * nodes and leases; and sessions of the pages.
 */

export interface MovedTable extends Table {
  readonly name: string
}

/** The values of a row in the order of the columns; a boolean is 0 or 1. */
export type MovedRow = readonly (string | number | Uint8Array | null)[]

/** The values of the key of a row. */
export type MovedKey = readonly (string | number)[]

/** Tables whose columns differ between the databases in more than their types, with those that are moved. */
const PLACE = 'array_start:bigint array_end:bigint item_start:bigint item_end:bigint'
const CALLBACKS = `id:bigint received_at:time kind:text environment:text listener:text authentication:text peer_id:bigint remote_address:text target:text
  tls_version:text cipher:text content_type:text headers:text mark:text payload_removed_at:time redacted_at:time body:bytea`
const EVENTS = `id:bigint nonce:text callback_id:bigint kind:text environment:text received_at:time subject:text status:text part:integer parts:integer
  ${PLACE} fact_hash:bytea payload_hash:bytea hash:bytea duplicates:integer last_seen_at:time payload_removed_at:time source:text body:bytea`
const DELIVERIES = `id:bigint event_id:bigint destination_id:bigint state:text attempts:integer retries_used:integer order_key:bigint next_attempt_at:time
  claimed_by:bigint claimed_at:time created_at:time replayed_at:time ended_at:time reason:text last_status:integer last_error:text replay_id:bigint
  delivered_at:time delivered_key:bigint`
const ATTEMPTS =
  'id:bigint delivery_id:bigint attempt:integer started_at:time duration_ms:bigint status:integer error:text answer:bytea'

function own(name: string, columns: string): MovedTable {
  return { name, columns: columnsOf(columns), key: ['id'] }
}

/** In an order in which a row comes after those that it refers to. */
export const TABLES: readonly MovedTable[] = [
  { name: 'peers', ...tableNamed('peers') },
  own('callbacks', CALLBACKS),
  own('events', EVENTS),
  ...[...COMMON].filter(([name]) => name !== 'peers').map(([name, table]) => ({ name, ...table })),
  own('deliveries', DELIVERIES),
  own('attempts', ATTEMPTS),
]

/** Rows of `meta` that are about the data. The others are about the database. */
export const MOVED_META = [
  'token_key',
  'event_anchor',
  'action_anchor',
  'skipped_positions',
  'clock_heartbeat',
  'clock_distrusted_since',
  'subjects_through',
]

/** The last numbers that were given, none of which is given again, and the hash of the last event in hexadecimal. */
export interface MovedNumbers {
  readonly position: number
  readonly hash: string
  readonly peer: number
  readonly callback: number
  readonly delivery: number
  readonly token: number
  /** Of the tables that have a sequence. */
  readonly sequences: Readonly<Record<Sequenced, number>>
}

export const SEQUENCED = ['quarantine', 'actions', 'destinations', 'replays', 'refusals', 'consumers'] as const
export type Sequenced = (typeof SEQUENCED)[number]

/**
 * A claim names its owner in a way of each database: behind a move it is of no owner, and the attempt counts as interrupted when the destination's worker
 * starts.
 */
export function expressionOf({ name }: Column): string {
  return name === 'claimed_by' ? 'claimed_by * 0 as claimed_by' : name
}

export function keyOf({ columns, key }: MovedTable, row: MovedRow): MovedKey {
  return key.map((name) => row[columns.findIndex((column) => column.name === name)] as string | number)
}
