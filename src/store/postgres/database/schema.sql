-- A time of this program: milliseconds since 1970.
create function at_ms(ms bigint) returns timestamptz language sql immutable strict parallel safe return to_timestamp(ms / 1000.0);

create table meta (
  key text primary key,
  value text not null
);

-- One row, locked by each transaction that stores an event or changes a destination: numbers are given in the order of commits.
create table head (
  position bigint not null default 0,
  -- Of the last event.
  hash bytea not null default decode(repeat('00', 32), 'hex'),
  peer bigint not null default 0,
  callback bigint not null default 0,
  delivery bigint not null default 0,
  quarantined bigint not null default 0,
  token bigint not null default 0,
  action bigint not null default 0,
  -- Rises with every change of a destination or a charge route.
  destinations bigint not null default 0,
  -- Rises each time that a lease gets or loses its holder, and is the fence of leases that are taken then.
  leases bigint not null default 0,
  -- Number of the last commit that other nodes must know of.
  changes bigint not null default 0
) with (fillfactor = 50);

insert into head default values;

create table peers (
  id bigint primary key,
  fingerprint text not null unique,
  serial text not null,
  subject text not null,
  issuer text not null,
  not_after timestamptz not null,
  pem text not null,
  environment text not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null
);

-- References of callbacks, events, deliveries and attempts have no constraint, which would lock and write each row that is referred to: `storage verify` checks
-- them.
create table callbacks (
  callback_id bigint primary key,
  received_at timestamptz not null,
  kind text not null,
  environment text not null,
  listener text,
  authentication text not null,
  peer_id bigint,
  remote_address text,
  target text,
  tls_version text,
  cipher text,
  content_type text,
  headers text not null,
  mark text,
  payload_removed_at timestamptz,
  redacted_at timestamptz,
  body bytea not null
);

-- By age, of each sort of removal.
create index callbacks_with_payload on callbacks (kind, received_at, callback_id) where payload_removed_at is null;
create index callbacks_without_payload on callbacks (kind, received_at, callback_id) where payload_removed_at is not null;

create table events (
  id bigint primary key,
  nonce text not null,
  callback_id bigint not null,
  kind text not null,
  environment text not null,
  received_at timestamptz not null,
  subject text,
  status text,
  part integer not null,
  parts integer not null,
  array_start bigint,
  array_end bigint,
  item_start bigint,
  item_end bigint,
  fact_hash bytea,
  payload_hash bytea not null,
  hash bytea not null,
  duplicates integer not null default 0,
  last_seen_at timestamptz,
  payload_removed_at timestamptz,
  -- Only of an event that was resolved at the service, or of a token that could not be.
  source text check (source in ('resolved', 'unresolved')),
  body bytea,
  check ((source is not distinct from 'resolved') = (body is not null)) no inherit
) with (fillfactor = 90);

create index events_callback on events (callback_id);
create index events_fact on events (substr(fact_hash, 1, 8)) where fact_hash is not null;
create index events_subject on events (subject, id) where subject is not null;
create index events_repeated on events (id) where duplicates > 0;

-- Callbacks that are one event from the beginning, as nearly all are: a row of both tables, whose `body` is that of the callback.
create table single_callbacks (
  primary key (id)
) inherits (callbacks, events) with (fillfactor = 90);

create unique index single_callbacks_callback on single_callbacks (callback_id);
create index single_callbacks_fact on single_callbacks (substr(fact_hash, 1, 8)) where fact_hash is not null;
create index single_callbacks_subject on single_callbacks (subject, id) where subject is not null;
create index single_callbacks_repeated on single_callbacks (id) where duplicates > 0;
create index single_callbacks_with_payload on single_callbacks (kind, received_at, callback_id) where payload_removed_at is null;
create index single_callbacks_without_payload on single_callbacks (kind, received_at, callback_id) where payload_removed_at is not null;

-- The kinds among 1,024 positions, and the times of their receipt: what lists by kind or time look through, so that an event needs no entry in an index of either.
create table event_blocks (
  block bigint not null,
  kind text not null,
  earliest timestamptz not null,
  latest timestamptz not null,
  primary key (block, kind)
) with (fillfactor = 50);

-- As search/lexemes.ts makes them.
create table search_terms (
  event_id bigint primary key,
  terms tsvector not null
);

-- Without them a plan always takes the index.
alter table search_terms alter column terms set statistics 0;

-- The job of the search index merges new terms before they are so many KiB.
create index search_terms_terms on search_terms using gin (terms) with (gin_pending_list_limit = 65536);

create table removed_events (
  position bigint primary key,
  digest bytea not null
);

create table quarantine (
  id bigint primary key,
  callback_id bigint not null references callbacks (callback_id),
  kind text not null,
  environment text not null,
  reason text not null,
  state text not null default 'quarantined' check (state in ('quarantined', 'released', 'discarded')),
  received_at timestamptz not null,
  subject text,
  status text,
  part integer not null,
  parts integer not null,
  array_start bigint,
  array_end bigint,
  item_start bigint,
  item_end bigint,
  fact_hash bytea,
  seen integer not null default 1,
  last_seen_at timestamptz not null,
  decided_at timestamptz,
  decided_by text,
  event_id bigint,
  payload_removed_at timestamptz,
  charge_reference text,
  subscription_reference text
);

create index quarantine_fact on quarantine (fact_hash) where fact_hash is not null;
create index quarantine_state on quarantine (state, id);
create index quarantine_event on quarantine (event_id) where event_id is not null;
create index quarantine_callback on quarantine (callback_id);

create table repeats (
  callback_id bigint not null references callbacks (callback_id),
  item_start bigint not null,
  item_end bigint not null,
  environment text not null,
  subject text not null,
  primary key (callback_id, item_start)
);

create index repeats_subject on repeats (subject);

create table removals (
  kind text not null,
  environment text not null,
  through bigint not null,
  announced_at timestamptz not null,
  primary key (kind, environment, through)
);

create table destinations (
  id bigint primary key generated always as identity,
  name text not null,
  origin text not null,
  owner text,
  registration_id text,
  state text not null,
  pause_reason text,
  url text not null,
  kinds text,
  environments text,
  institutions text,
  subjects text,
  authentication text not null,
  format text not null,
  secrets text not null,
  previous_secret_until timestamptz,
  timeout_ms bigint not null,
  concurrency integer not null,
  rate integer,
  schedule text,
  delivery_order text not null,
  on_exhausted text not null,
  authorities text,
  circuit_opened_at timestamptz,
  headers text not null,
  created_at timestamptz not null,
  -- It left, and none of its deliveries waits.
  is_settled boolean not null default false
);

create unique index destinations_name on destinations (coalesce(owner, ''), name) where state in ('active', 'paused', 'retired');

create table replays (
  id bigint primary key generated always as identity,
  destination_id bigint not null references destinations (id),
  owner text,
  mode text not null,
  filter text not null,
  state text not null default 'running' check (state in ('running', 'done', 'canceled', 'failed')),
  reason text,
  matched bigint not null,
  left_out bigint not null,
  requeued bigint not null default 0,
  position bigint not null default 0,
  up_to bigint not null,
  created_at timestamptz not null,
  ended_at timestamptz
);

create table deliveries (
  id bigint primary key,
  event_id bigint not null,
  destination_id bigint not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'blocked', 'exhausted', 'canceled')),
  attempts integer not null default 0,
  retries_used integer not null default 0,
  order_key bigint,
  next_attempt_at timestamptz,
  -- The fence of the destination's lease.
  claimed_by bigint,
  claimed_at timestamptz,
  created_at timestamptz not null,
  replayed_at timestamptz,
  ended_at timestamptz,
  reason text,
  last_status integer,
  last_error text,
  replay_id bigint,
  delivered_at timestamptz,
  delivered_key bigint
) with (fillfactor = 80);

create index deliveries_event on deliveries (event_id);
create index deliveries_due on deliveries (destination_id, (replay_id is not null), next_attempt_at) where state = 'pending';
create index deliveries_claimed on deliveries (destination_id) where claimed_by is not null;
create index deliveries_failed on deliveries (state, id) where state in ('exhausted', 'canceled');
create index deliveries_order on deliveries (destination_id, order_key, event_id) where order_key is not null;
create index deliveries_in_order on deliveries (destination_id, delivered_key, event_id) where delivered_key is not null;
create index deliveries_of_replay on deliveries (replay_id) where replay_id is not null;

-- A row for each process of a gateway that uses the database.
create table nodes (
  id bigint primary key generated always as identity,
  name text not null,
  version text not null,
  facts jsonb not null,
  -- Names of the destinations of its configuration file.
  configured text[] not null,
  started_at timestamptz not null,
  seen_at timestamptz not null
);

-- Which node sends to a destination.
create table leases (
  -- 0: of what one node does for all.
  destination_id bigint primary key,
  -- null: it is free.
  node bigint,
  fence bigint not null default 0,
  until timestamptz not null default '-infinity'
);

create table attempts (
  id bigint primary key generated always as identity,
  delivery_id bigint not null,
  attempt integer not null,
  started_at timestamptz not null,
  duration_ms bigint not null,
  status integer,
  error text,
  answer bytea
);

create index attempts_delivery on attempts (delivery_id);

create table refusals (
  id bigint primary key generated always as identity,
  refused_at timestamptz not null,
  listener text not null,
  remote_address text not null,
  code text not null,
  reason text not null,
  raw_code text,
  detail text,
  environment text,
  tls_version text,
  server_name text,
  chain text not null,
  count bigint not null,
  is_probe boolean not null default false
);

create index refusals_address on refusals (remote_address, id);

create table destination_certificates (
  destination_id bigint primary key references destinations (id),
  host text not null,
  fingerprint text not null,
  subject text not null,
  issuer text not null,
  not_before timestamptz not null,
  not_after timestamptz not null,
  seen_at timestamptz not null
);

create table expiry_warnings (
  certificate_set text not null,
  fingerprint text not null,
  warning integer not null,
  warned_at timestamptz not null,
  primary key (certificate_set, fingerprint)
);

create table silences (
  kind text primary key,
  since timestamptz not null,
  raised_at timestamptz not null
);

create table consumers (
  id bigint primary key generated always as identity,
  owner text,
  name text not null,
  position bigint not null,
  gaps_reported_at timestamptz not null,
  batch text,
  batch_end bigint,
  batch_expires_at timestamptz,
  created_at timestamptz not null,
  acknowledged_at timestamptz
);

create unique index consumers_name on consumers (coalesce(owner, ''), name);

create table clients (
  id text primary key,
  name text not null,
  environment text not null,
  scopes text not null,
  secret_hash text not null,
  previous_secret_hash text,
  previous_valid_until timestamptz,
  generation integer not null default 1,
  created_at timestamptz not null,
  rotated_at timestamptz,
  revoked_at timestamptz
);

create unique index clients_name on clients (name) where revoked_at is null;

create table page_sessions (
  key text primary key,
  person_id text not null,
  proof text not null,
  certificate text,
  started_at timestamptz not null,
  used_at timestamptz not null
);

-- What an OpenID provider granted to people in sessions of the pages. `sid` is a hash, `sealed` is encrypted.
create table team_sessions (
  key text primary key references page_sessions (key) on delete cascade,
  sid text,
  sealed text not null,
  version integer not null default 1,
  asked_at timestamptz not null
);

-- Hashes of values that count once: of logout tokens and of sign-ins.
create table used_once (
  hash text primary key,
  until timestamptz not null
);

create table notification_tokens (
  id bigint primary key,
  environment text not null,
  token text not null,
  version integer not null default 1,
  callback_id bigint references callbacks (callback_id),
  waiting_since timestamptz not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  last_error text,
  is_unresolved boolean not null default false,
  entries_through bigint not null default 0,
  entries_beyond text not null default '[]',
  last_seen_at timestamptz not null,
  unique (environment, token)
);

create index notification_tokens_waiting on notification_tokens (environment, next_attempt_at) where next_attempt_at is not null;
create index notification_tokens_done on notification_tokens (last_seen_at) where next_attempt_at is null;
create index notification_tokens_callback on notification_tokens (callback_id) where callback_id is not null;

create table charge_routes (
  environment text not null,
  resource text not null check (resource in ('charge', 'subscription')),
  resource_id text not null,
  owner text,
  url text not null,
  destination_id bigint not null references destinations (id),
  is_confirmed boolean not null default false,
  changed_at timestamptz not null,
  primary key (environment, resource, resource_id)
);

create index charge_routes_destination on charge_routes (destination_id);

create table actions (
  id bigint primary key,
  at timestamptz not null,
  actor text not null,
  channel text not null check (channel in ('page', 'api', 'control')),
  action text not null,
  target text,
  reason text,
  details text,
  refers_to bigint,
  hash bytea not null
);

-- Questions to the service on a UTC day, by what is asked: each purpose has a budget.
create table question_budgets (
  environment text not null,
  purpose text not null,
  day text not null,
  used bigint not null,
  primary key (environment, purpose, day)
);

-- Subjects that the service can be asked about. `statuses` is a JSON array, each status once.
create table known_subjects (
  kind text not null,
  environment text not null,
  subject text not null,
  type text not null,
  statuses text not null,
  token text,
  day text,
  first_at timestamptz not null,
  event_at timestamptz,
  expected_at timestamptz,
  asked_at timestamptz,
  asks integer not null default 0,
  next_ask_at timestamptz,
  gap text check (gap in ('unknown', 'undecided')),
  silence_raised_at timestamptz,
  primary key (kind, environment, subject)
);

create index known_subjects_open on known_subjects (kind, environment, first_at, subject) where next_ask_at is not null;
create index known_subjects_silent on known_subjects (kind, environment, expected_at)
  where expected_at is not null and event_at is null and silence_raised_at is null;
create index known_subjects_met on known_subjects (kind, environment, event_at) where expected_at is not null and event_at is not null;
create index known_subjects_day on known_subjects (kind, environment, day) where day is not null;
create index known_subjects_closed on known_subjects (first_at) where next_ask_at is null;
create index known_subjects_gap on known_subjects (gap, first_at) where gap is not null;

-- Events that the service was asked for: a late callback with the same values is a duplicate.
create table reconciled_facts (
  kind text not null,
  environment text not null,
  subject text not null,
  status text not null,
  event_id bigint not null,
  primary key (kind, environment, subject, status)
);

create index reconciled_facts_event on reconciled_facts (event_id);

-- Events of each UTC day; `unknown`: of the local day, what the service counts and does not name.
create table event_days (
  kind text not null,
  environment text not null,
  day text not null,
  received integer not null default 0,
  reconciled integer not null default 0,
  unknown integer not null default 0,
  primary key (day, kind, environment)
);

-- Processes of the gateway, each with its last sign of life.
create table gateway_runs (
  id bigint primary key,
  node text not null,
  started_at timestamptz not null,
  seen_at timestamptz not null,
  ended_at timestamptz
);

create table outages (
  id bigint primary key,
  began_at timestamptz not null,
  ended_at timestamptz,
  cause text not null check (cause in ('down', 'refusing')),
  raised_at timestamptz,
  reconciled_at timestamptz
);

-- Callbacks of a kind (destination_id 0), or attempts of a destination (environment and kind empty), by the hour in which they ended.
create table hour_sums (
  hour timestamptz not null,
  environment text not null,
  kind text not null,
  destination_id bigint not null,
  succeeded bigint not null,
  failed bigint not null,
  primary key (hour, environment, kind, destination_id)
);

-- Alarms that are going on or are still to be sent, mutes, and the state of each channel. `code` of a channel is its name; `value` is JSON.
create table alarms (
  record text not null check (record in ('alarm', 'mute', 'channel')),
  code text not null,
  subject text not null,
  value text not null,
  primary key (record, code, subject)
);
