/*
 * What a move copies: every table with its columns, in an order in which a row comes after those that it refers to. Both databases have these columns under
 * the same names. Not copied is what a database makes of them for itself: summaries, indexes, terms of the search, claims, nodes and leases;
 * and sessions of the pages.
 */

/** `time` is `timestamptz` in PostgreSQL. */
export type ColumnType = 'bigint' | 'integer' | 'text' | 'bytea' | 'boolean' | 'time'

export interface MovedColumn {
  readonly name: string
  readonly type: ColumnType
}

export interface MovedTable {
  readonly name: string
  readonly columns: readonly MovedColumn[]
  /** Names of the columns that order the rows, each row once. */
  readonly key: readonly string[]
}

/** The values of a row in the order of the columns; a boolean is 0 or 1. */
export type MovedRow = readonly (string | number | Uint8Array | null)[]

/** The values of the key of a row. */
export type MovedKey = readonly (string | number)[]

function table(name: string, key: string, columns: string): MovedTable {
  return { name, key: key.split(' '), columns: columns.trim().split(/\s+/).map(columnOf) }
}

function columnOf(text: string): MovedColumn {
  const [name = '', type = ''] = text.split(':')
  return { name, type: type as ColumnType }
}

const PLACE = 'array_start:bigint array_end:bigint item_start:bigint item_end:bigint'

export const TABLES: readonly MovedTable[] = [
  table(
    'peers',
    'id',
    `id:bigint fingerprint:text serial:text subject:text issuer:text not_after:time pem:text environment:text first_seen_at:time last_seen_at:time`,
  ),
  table(
    'callbacks',
    'id',
    `id:bigint received_at:time kind:text environment:text listener:text authentication:text peer_id:bigint remote_address:text target:text tls_version:text
    cipher:text content_type:text headers:text mark:text payload_removed_at:time redacted_at:time body:bytea`,
  ),
  table(
    'events',
    'id',
    `id:bigint nonce:text callback_id:bigint kind:text environment:text received_at:time subject:text status:text part:integer parts:integer ${PLACE}
    fact_hash:bytea payload_hash:bytea hash:bytea duplicates:integer last_seen_at:time payload_removed_at:time source:text body:bytea`,
  ),
  table('removed_events', 'position', 'position:bigint digest:bytea'),
  table(
    'quarantine',
    'id',
    `id:bigint callback_id:bigint kind:text environment:text reason:text state:text received_at:time subject:text status:text part:integer parts:integer ${PLACE}
    fact_hash:bytea seen:integer last_seen_at:time decided_at:time decided_by:text event_id:bigint payload_removed_at:time charge_reference:text
    subscription_reference:text`,
  ),
  table(
    'repeats',
    'callback_id item_start',
    'callback_id:bigint item_start:bigint item_end:bigint environment:text subject:text',
  ),
  table('removals', 'kind environment through', 'kind:text environment:text through:bigint announced_at:time'),
  table(
    'destinations',
    'id',
    `id:bigint name:text origin:text owner:text registration_id:text state:text pause_reason:text url:text kinds:text environments:text institutions:text
    subjects:text authentication:text format:text secrets:text previous_secret_until:time timeout_ms:bigint concurrency:integer rate:integer schedule:text
    delivery_order:text on_exhausted:text authorities:text circuit_opened_at:time headers:text created_at:time is_settled:boolean`,
  ),
  table(
    'replays',
    'id',
    `id:bigint destination_id:bigint owner:text mode:text filter:text state:text reason:text matched:bigint left_out:bigint requeued:bigint position:bigint
    up_to:bigint created_at:time ended_at:time`,
  ),
  table(
    'deliveries',
    'id',
    `id:bigint event_id:bigint destination_id:bigint state:text attempts:integer retries_used:integer order_key:bigint next_attempt_at:time
    claimed_by:bigint claimed_at:time created_at:time replayed_at:time ended_at:time reason:text last_status:integer last_error:text replay_id:bigint
    delivered_at:time delivered_key:bigint`,
  ),
  table(
    'attempts',
    'id',
    'id:bigint delivery_id:bigint attempt:integer started_at:time duration_ms:bigint status:integer error:text answer:bytea',
  ),
  table(
    'refusals',
    'id',
    `id:bigint refused_at:time listener:text remote_address:text code:text reason:text raw_code:text detail:text environment:text tls_version:text
    server_name:text chain:text count:bigint is_probe:boolean`,
  ),
  table(
    'destination_certificates',
    'destination_id',
    'destination_id:bigint host:text fingerprint:text subject:text issuer:text not_before:time not_after:time seen_at:time',
  ),
  table(
    'expiry_warnings',
    'certificate_set fingerprint',
    'certificate_set:text fingerprint:text warning:integer warned_at:time',
  ),
  table('silences', 'kind', 'kind:text since:time raised_at:time'),
  table(
    'consumers',
    'id',
    `id:bigint owner:text name:text position:bigint gaps_reported_at:time batch:text batch_end:bigint batch_expires_at:time created_at:time
    acknowledged_at:time`,
  ),
  table(
    'clients',
    'id',
    `id:text name:text environment:text scopes:text secret_hash:text previous_secret_hash:text previous_valid_until:time generation:integer created_at:time
    rotated_at:time revoked_at:time`,
  ),
  table(
    'notification_tokens',
    'id',
    `id:bigint environment:text token:text version:integer callback_id:bigint waiting_since:time attempts:integer next_attempt_at:time last_error:text
    is_unresolved:boolean entries_through:bigint entries_beyond:text last_seen_at:time`,
  ),
  table('question_budgets', 'environment purpose day', 'environment:text purpose:text day:text used:bigint'),
  table(
    'known_subjects',
    'kind environment subject',
    `kind:text environment:text subject:text type:text statuses:text token:text day:text first_at:time event_at:time expected_at:time asked_at:time
    asks:integer next_ask_at:time gap:text silence_raised_at:time`,
  ),
  table(
    'reconciled_facts',
    'kind environment subject status',
    'kind:text environment:text subject:text status:text event_id:bigint',
  ),
  table(
    'event_days',
    'day kind environment',
    'kind:text environment:text day:text received:integer reconciled:integer unknown:integer',
  ),
  table('gateway_runs', 'id', 'id:bigint node:text started_at:time seen_at:time ended_at:time'),
  table('outages', 'id', 'id:bigint began_at:time ended_at:time cause:text raised_at:time reconciled_at:time'),
  table('alarms', 'record code subject', 'record:text code:text subject:text value:text'),
  table(
    'hour_sums',
    'hour environment kind destination_id',
    'hour:time environment:text kind:text destination_id:bigint succeeded:bigint failed:bigint',
  ),
  table(
    'charge_routes',
    'environment resource resource_id',
    'environment:text resource:text resource_id:text owner:text url:text destination_id:bigint is_confirmed:boolean changed_at:time',
  ),
  table(
    'actions',
    'id',
    'id:bigint at:time actor:text channel:text action:text target:text reason:text details:text refers_to:bigint hash:bytea',
  ),
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
export function expressionOf({ name }: MovedColumn): string {
  return name === 'claimed_by' ? 'claimed_by * 0 as claimed_by' : name
}

export function keyOf({ columns, key }: MovedTable, row: MovedRow): MovedKey {
  return key.map((name) => row[columns.findIndex((column) => column.name === name)] as string | number)
}
