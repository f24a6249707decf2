/** `time` is `timestamptz` in PostgreSQL, and ms since 1970 in SQLite, as in the program. */
export type ColumnType = 'bigint' | 'integer' | 'text' | 'bytea' | 'boolean' | 'time'

export interface Column {
  /** In the databases. */
  readonly name: string
  /** In the program. */
  readonly property: string
  readonly type: ColumnType
}

export interface Table {
  readonly columns: readonly Column[]
  /** Names of the columns that order the rows, each row once. */
  readonly key: readonly string[]
}

function table(key: string, columns: string): Table {
  return { key: key.split(' '), columns: columnsOf(columns) }
}

/** From `name:type` with spaces between. */
export function columnsOf(text: string): Column[] {
  return text
    .trim()
    .split(/\s+/)
    .map((one) => {
      const [name = '', type = ''] = one.split(':')
      const property = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
      return { name, property, type: type as ColumnType }
    })
}

const PLACE = 'array_start:bigint array_end:bigint item_start:bigint item_end:bigint'

/** The tables that both databases have, in an order in which a row comes after those that it refers to. */
export const TABLES = {
  peers: table(
    'id',
    `id:bigint fingerprint:text serial:text subject:text issuer:text not_after:time pem:text environment:text first_seen_at:time last_seen_at:time`,
  ),
  callbacks: table(
    'id',
    `id:bigint received_at:time kind:text environment:text listener:text authentication:text peer_id:bigint remote_address:text target:text tls_version:text
    cipher:text content_type:text headers:text mark:text payload_removed_at:time redacted_at:time body:bytea`,
  ),
  events: table(
    'id',
    `id:bigint nonce:text callback_id:bigint kind:text environment:text received_at:time subject:text status:text part:integer parts:integer ${PLACE}
    fact_hash:bytea payload_hash:bytea hash:bytea duplicates:integer last_seen_at:time payload_removed_at:time source:text body:bytea`,
  ),
  removed_events: table('position', 'position:bigint digest:bytea'),
  quarantine: table(
    'id',
    `id:bigint callback_id:bigint kind:text environment:text reason:text state:text received_at:time subject:text status:text part:integer parts:integer ${PLACE}
    fact_hash:bytea seen:integer last_seen_at:time decided_at:time decided_by:text event_id:bigint payload_removed_at:time charge_reference:text
    subscription_reference:text`,
  ),
  repeats: table(
    'callback_id item_start',
    'callback_id:bigint item_start:bigint item_end:bigint environment:text subject:text',
  ),
  removals: table('kind environment through', 'kind:text environment:text through:bigint announced_at:time'),
  destinations: table(
    'id',
    `id:bigint name:text origin:text owner:text registration_id:text state:text pause_reason:text url:text kinds:text environments:text institutions:text
    subjects:text authentication:text format:text secrets:text previous_secret_until:time timeout_ms:bigint concurrency:integer rate:integer schedule:text
    delivery_order:text on_exhausted:text authorities:text circuit_opened_at:time headers:text created_at:time is_settled:boolean`,
  ),
  replays: table(
    'id',
    `id:bigint destination_id:bigint owner:text mode:text filter:text state:text reason:text matched:bigint left_out:bigint requeued:bigint position:bigint
    up_to:bigint created_at:time ended_at:time`,
  ),
  deliveries: table(
    'id',
    `id:bigint event_id:bigint destination_id:bigint state:text attempts:integer retries_used:integer order_key:bigint next_attempt_at:time
    claimed_by:bigint claimed_at:time created_at:time replayed_at:time ended_at:time reason:text last_status:integer last_error:text replay_id:bigint
    delivered_at:time delivered_key:bigint`,
  ),
  attempts: table(
    'id',
    'id:bigint delivery_id:bigint attempt:integer started_at:time duration_ms:bigint status:integer error:text answer:bytea',
  ),
  refusals: table(
    'id',
    `id:bigint refused_at:time listener:text remote_address:text code:text reason:text raw_code:text detail:text environment:text tls_version:text
    server_name:text chain:text count:bigint is_probe:boolean`,
  ),
  destination_certificates: table(
    'destination_id',
    'destination_id:bigint host:text fingerprint:text subject:text issuer:text not_before:time not_after:time seen_at:time',
  ),
  expiry_warnings: table(
    'certificate_set fingerprint',
    'certificate_set:text fingerprint:text warning:integer warned_at:time',
  ),
  silences: table('kind', 'kind:text since:time raised_at:time'),
  consumers: table(
    'id',
    `id:bigint owner:text name:text position:bigint gaps_reported_at:time batch:text batch_end:bigint batch_expires_at:time created_at:time
    acknowledged_at:time`,
  ),
  clients: table(
    'id',
    `id:text name:text environment:text scopes:text secret_hash:text previous_secret_hash:text previous_valid_until:time generation:integer created_at:time
    rotated_at:time revoked_at:time`,
  ),
  notification_tokens: table(
    'id',
    `id:bigint environment:text token:text version:integer callback_id:bigint waiting_since:time attempts:integer next_attempt_at:time last_error:text
    is_unresolved:boolean entries_through:bigint entries_beyond:text last_seen_at:time`,
  ),
  question_budgets: table('environment purpose day', 'environment:text purpose:text day:text used:bigint'),
  known_subjects: table(
    'kind environment subject',
    `kind:text environment:text subject:text type:text statuses:text token:text day:text first_at:time event_at:time expected_at:time asked_at:time
    asks:integer next_ask_at:time gap:text silence_raised_at:time`,
  ),
  reconciled_facts: table(
    'kind environment subject status',
    'kind:text environment:text subject:text status:text event_id:bigint',
  ),
  event_days: table(
    'day kind environment',
    'kind:text environment:text day:text received:integer reconciled:integer unknown:integer',
  ),
  gateway_runs: table('id', 'id:bigint node:text started_at:time seen_at:time ended_at:time'),
  outages: table('id', 'id:bigint began_at:time ended_at:time cause:text raised_at:time reconciled_at:time'),
  alarms: table('record code subject', 'record:text code:text subject:text value:text'),
  hour_sums: table(
    'hour environment kind destination_id',
    'hour:time environment:text kind:text destination_id:bigint succeeded:bigint failed:bigint',
  ),
  charge_routes: table(
    'environment resource resource_id',
    'environment:text resource:text resource_id:text owner:text url:text destination_id:bigint is_confirmed:boolean changed_at:time',
  ),
  actions: table(
    'id',
    'id:bigint at:time actor:text channel:text action:text target:text reason:text details:text refers_to:bigint hash:bytea',
  ),
}

export type TableName = keyof typeof TABLES
