-- The tables that both databases have with the same columns: `schema.ts` makes the schema of each from this file, and the lists of columns that statements
-- and `storage move` use. Types: `time` is ms since 1970 in the program; `serial`: the database gives the numbers; `counted`: the program does, and none is
-- given again. A line that ends in `-- sqlite` or `-- postgres` is of that database alone.

-- Peer certificates of callers, once per fingerprint. last_seen_at: to the hour.
create table peers (
  id bigint primary key,
  fingerprint text not null unique,
  serial text not null,
  subject text not null,
  issuer text not null,
  not_after time not null,
  pem text not null,
  environment text not null,
  first_seen_at time not null,
  last_seen_at time not null
);

-- Digests of events whose rows retention removed: the hashes of later events depend on them. Digests before the first event are folded into meta
-- (event_anchor: position and hash).
create table removed_events (
  position bigint primary key,
  digest bytea not null
);

-- A fact in quarantine: no event unless it is released. An equal fact is only counted. event_id: its event, or another event of an equal fact.
-- charge_reference, subscription_reference: the charge and subscription that it is about: a released fact follows their routes.
create table quarantine (
  id counted primary key,
  callback_id bigint not null references callbacks (id),
  kind text not null,
  environment text not null,
  reason text not null,
  state text not null default 'quarantined' check (state in ('quarantined', 'released', 'discarded')),
  received_at time not null,
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
  last_seen_at time not null,
  decided_at time,
  decided_by text,
  event_id bigint references events (id),
  payload_removed_at time,
  charge_reference text,
  subscription_reference text
);

create index quarantine_fact on quarantine (fact_hash) where fact_hash is not null;
create index quarantine_state on quarantine (state, id);
create index quarantine_event on quarantine (event_id) where event_id is not null;
create index quarantine_callback on quarantine (callback_id);

-- Repeated facts in callbacks that were stored for other facts: data of a subject that belongs to no event.
create table repeats (
  callback_id bigint not null references callbacks (id),
  item_start bigint not null,
  item_end bigint not null,
  environment text not null,
  subject text not null,
  primary key (callback_id, item_start)
);

create index repeats_subject on repeats (subject);

-- Retention has removed, or will remove, events of a kind and environment up to this position. announced_at increases with every announcement, which
-- deletes rows that do not reach further. Kind and environment '': a backup was restored, and all events up to this position may be lost.
create table removals (
  kind text not null,
  environment text not null,
  through bigint not null,
  announced_at time not null,
  primary key (kind, environment, through)
);

-- owner: id of the client that owns it; null: the operator. registration_id: UUID of a registration through the service's contract.
-- Until previous_secret_until all its secrets sign, then only the first; null: no end.
-- deliveries_after: number of the newest delivery at its creation; its own have larger numbers.
-- deliveries_through: number of the newest delivery when it was removed and its waiting deliveries were canceled; null until then.
-- The row of a deleted destination is removed when no delivery and no replay can refer to it.
create table destinations (
  id serial primary key,
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
  authentication text not null default 'any',
  format text not null default 'original',
  secrets text not null,
  previous_secret_until time,
  timeout_ms bigint not null,
  concurrency integer not null,
  rate integer,
  schedule text,
  delivery_order text not null default 'none',
  on_exhausted text not null default 'hold',
  authorities text,
  circuit_opened_at time,
  headers text not null,
  created_at time not null,
  deliveries_after bigint not null default 0, -- sqlite
  deliveries_through bigint, -- sqlite
  is_settled boolean not null default false, -- postgres
);

create unique index destinations_name on destinations (coalesce(owner, ''), name) where state in ('active', 'paused', 'retired');

create index destinations_present on destinations (id) where state in ('active', 'paused'); -- sqlite

create index destinations_leaving on destinations (id) where state in ('retired', 'deleted') and deliveries_through is null; -- sqlite

create index destinations_gone on destinations (deliveries_through) where state = 'deleted' and deliveries_through is not null; -- sqlite

-- Events that are requeued step by step: all events up to position are done, events after up_to do not belong to it.
create table replays (
  id serial primary key,
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
  created_at time not null,
  ended_at time
);

create index replays_running on replays (id) where state = 'running'; -- sqlite

-- A refused caller. Bounded: the oldest are removed. count: with code left_out, the number of refusals that it summarizes.
create table refusals (
  id serial primary key,
  refused_at time not null,
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

-- The latest certificate of a destination's server, and the host that presented it.
create table destination_certificates (
  destination_id bigint primary key references destinations (id),
  host text not null,
  fingerprint text not null,
  subject text not null,
  issuer text not null,
  not_before time not null,
  not_after time not null,
  seen_at time not null
);

-- The latest expiry warning about a certificate, in days left; 0: it has expired.
create table expiry_warnings (
  certificate_set text not null,
  fingerprint text not null,
  warning integer not null,
  warned_at time not null,
  primary key (certificate_set, fingerprint)
);

-- The last reported silence of a kind: its beginning; 0: no callback was ever received.
create table silences (
  kind text primary key,
  since time not null,
  raised_at time not null
);

-- Named readers with a stored position. gaps_reported_at: removals announced up to this time were reported to it.
-- owner: id of the client that owns it; null: the operator. batch: the latest lease, up to batch_end; null: acknowledged or canceled.
create table consumers (
  id serial primary key,
  owner text,
  name text not null,
  position bigint not null,
  gaps_reported_at time not null default 0,
  batch text,
  batch_end bigint,
  batch_expires_at time,
  created_at time not null,
  acknowledged_at time
);

create unique index consumers_name on consumers (coalesce(owner, ''), name);

-- Clients of the API. Secrets are stored as SHA-256 only; the previous one is valid until previous_valid_until. Rows are never removed.
-- The key that signs access tokens is in meta.
create table clients (
  id text primary key,
  name text not null,
  environment text not null,
  scopes text not null,
  secret_hash text not null,
  previous_secret_hash text,
  previous_valid_until time,
  generation integer not null default 1,
  created_at time not null,
  rotated_at time,
  revoked_at time
);

create unique index clients_name on clients (name) where revoked_at is null;

-- A token of a charge notification, and the job that asks the service for its entries. The job waits while next_attempt_at is not null.
-- version rises with every callback of the token. callback_id: the callback of the present wait, or of the last one; null: retention removed it.
-- last_seen_at: its last callback. is_unresolved: the token became an event of its own in this wait.
-- All entries up to entries_through are events, and those in the JSON array entries_beyond.
create table notification_tokens (
  id bigint primary key,
  environment text not null,
  token text not null,
  version integer not null default 1,
  callback_id bigint references callbacks (id),
  waiting_since time not null,
  attempts integer not null default 0,
  next_attempt_at time,
  last_error text,
  is_unresolved boolean not null default false,
  entries_through bigint not null default 0,
  entries_beyond text not null default '[]',
  last_seen_at time not null,
  unique (environment, token)
);

-- New jobs are asked for apart from those that are repeated, and those that wait too long apart from both.
create index notification_tokens_waiting on notification_tokens (environment, attempts > 0, next_attempt_at) where next_attempt_at is not null; -- sqlite
create index notification_tokens_since on notification_tokens (environment, waiting_since) where next_attempt_at is not null and is_unresolved = 0; -- sqlite
create index notification_tokens_waiting on notification_tokens (environment, next_attempt_at) where next_attempt_at is not null; -- postgres
create index notification_tokens_done on notification_tokens (last_seen_at) where next_attempt_at is null;
-- Retention asks whether the token of a callback waits.
create index notification_tokens_callback on notification_tokens (callback_id) where callback_id is not null;

-- The destination that gets the events of a charge or subscription.
create table charge_routes (
  environment text not null,
  resource text not null check (resource in ('charge', 'subscription')),
  resource_id text not null,
  owner text,
  url text not null,
  destination_id bigint not null references destinations (id),
  is_confirmed boolean not null default false,
  changed_at time not null,
  primary key (environment, resource, resource_id)
);

create index charge_routes_destination on charge_routes (destination_id);

-- What people and apps changed, or saw of masked data. actor: id of a client, or operator. action: id of the endpoint. target: the object, if the path
-- names one.
-- refers_to: the action that this entry says has failed. hash: SHA-256 over the entry and the hash of the one before it.
create table actions (
  id counted primary key,
  at time not null,
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
  first_at time not null,
  event_at time,
  expected_at time,
  asked_at time,
  asks integer not null default 0,
  next_ask_at time,
  gap text check (gap in ('unknown', 'undecided')),
  silence_raised_at time,
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
  started_at time not null,
  seen_at time not null,
  ended_at time
);

create table outages (
  id bigint primary key,
  began_at time not null,
  ended_at time,
  cause text not null check (cause in ('down', 'refusing')),
  raised_at time,
  reconciled_at time
);

-- Callbacks of a kind (destination_id 0), or attempts of a destination (environment and kind empty), by the hour in which they ended.
create table hour_sums (
  hour time not null,
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
