CREATE TABLE peers (
  id integer primary key,
  fingerprint text not null unique,
  serial text not null,
  subject text not null,
  issuer text not null,
  not_after integer not null,
  pem text not null,
  environment text not null,
  first_seen_at integer not null,
  last_seen_at integer not null
) strict;

CREATE TABLE removed_events (
  position integer primary key,
  digest blob not null
) strict;

CREATE TABLE quarantine (
  id integer primary key autoincrement,
  callback_id integer not null references callbacks (id),
  kind text not null,
  environment text not null,
  reason text not null,
  state text not null default 'quarantined' check (state in ('quarantined', 'released', 'discarded')),
  received_at integer not null,
  subject text,
  status text,
  part integer not null,
  parts integer not null,
  array_start integer,
  array_end integer,
  item_start integer,
  item_end integer,
  fact_hash blob,
  seen integer not null default 1,
  last_seen_at integer not null,
  decided_at integer,
  decided_by text,
  event_id integer references events (id),
  payload_removed_at integer,
  charge_reference text,
  subscription_reference text
) strict;

CREATE INDEX quarantine_fact on quarantine (fact_hash) where fact_hash is not null;

CREATE INDEX quarantine_state on quarantine (state, id);

CREATE INDEX quarantine_event on quarantine (event_id) where event_id is not null;

CREATE INDEX quarantine_callback on quarantine (callback_id);

CREATE TABLE repeats (
  callback_id integer not null references callbacks (id),
  item_start integer not null,
  item_end integer not null,
  environment text not null,
  subject text not null,
  primary key (callback_id, item_start)
) strict, without rowid;

CREATE INDEX repeats_subject on repeats (subject);

CREATE TABLE removals (
  kind text not null,
  environment text not null,
  through integer not null,
  announced_at integer not null,
  primary key (kind, environment, through)
) strict, without rowid;

CREATE TABLE destinations (
  id integer primary key autoincrement,
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
  previous_secret_until integer,
  timeout_ms integer not null,
  concurrency integer not null,
  rate integer,
  schedule text,
  delivery_order text not null default 'none',
  on_exhausted text not null default 'hold',
  authorities text,
  circuit_opened_at integer,
  headers text not null,
  created_at integer not null,
  deliveries_after integer not null default 0,
  deliveries_through integer
) strict;

CREATE UNIQUE INDEX destinations_name on destinations (coalesce(owner, ''), name) where state in ('active', 'paused', 'retired');

CREATE INDEX destinations_present on destinations (id) where state in ('active', 'paused');

CREATE INDEX destinations_leaving on destinations (id) where state in ('retired', 'deleted') and deliveries_through is null;

CREATE INDEX destinations_gone on destinations (deliveries_through) where state = 'deleted' and deliveries_through is not null;

CREATE TABLE replays (
  id integer primary key autoincrement,
  destination_id integer not null references destinations (id),
  owner text,
  mode text not null,
  filter text not null,
  state text not null default 'running' check (state in ('running', 'done', 'canceled', 'failed')),
  reason text,
  matched integer not null,
  left_out integer not null,
  requeued integer not null default 0,
  position integer not null default 0,
  up_to integer not null,
  created_at integer not null,
  ended_at integer
) strict;

CREATE INDEX replays_running on replays (id) where state = 'running';

CREATE TABLE refusals (
  id integer primary key autoincrement,
  refused_at integer not null,
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
  count integer not null,
  is_probe integer not null default 0
) strict;

CREATE INDEX refusals_address on refusals (remote_address, id);

CREATE TABLE destination_certificates (
  destination_id integer primary key references destinations (id),
  host text not null,
  fingerprint text not null,
  subject text not null,
  issuer text not null,
  not_before integer not null,
  not_after integer not null,
  seen_at integer not null
) strict;

CREATE TABLE expiry_warnings (
  certificate_set text not null,
  fingerprint text not null,
  warning integer not null,
  warned_at integer not null,
  primary key (certificate_set, fingerprint)
) strict, without rowid;

CREATE TABLE silences (
  kind text primary key,
  since integer not null,
  raised_at integer not null
) strict, without rowid;

CREATE TABLE consumers (
  id integer primary key autoincrement,
  owner text,
  name text not null,
  position integer not null,
  gaps_reported_at integer not null default 0,
  batch text,
  batch_end integer,
  batch_expires_at integer,
  created_at integer not null,
  acknowledged_at integer
) strict;

CREATE UNIQUE INDEX consumers_name on consumers (coalesce(owner, ''), name);

CREATE TABLE clients (
  id text primary key,
  name text not null,
  environment text not null,
  scopes text not null,
  secret_hash text not null,
  previous_secret_hash text,
  previous_valid_until integer,
  generation integer not null default 1,
  created_at integer not null,
  rotated_at integer,
  revoked_at integer
) strict, without rowid;

CREATE UNIQUE INDEX clients_name on clients (name) where revoked_at is null;

CREATE TABLE notification_tokens (
  id integer primary key,
  environment text not null,
  token text not null,
  version integer not null default 1,
  callback_id integer references callbacks (id),
  waiting_since integer not null,
  attempts integer not null default 0,
  next_attempt_at integer,
  last_error text,
  is_unresolved integer not null default 0,
  entries_through integer not null default 0,
  entries_beyond text not null default '[]',
  last_seen_at integer not null,
  unique (environment, token)
) strict;

CREATE INDEX notification_tokens_waiting on notification_tokens (environment, attempts > 0, next_attempt_at) where next_attempt_at is not null;

CREATE INDEX notification_tokens_since on notification_tokens (environment, waiting_since) where next_attempt_at is not null and is_unresolved = 0;

CREATE INDEX notification_tokens_done on notification_tokens (last_seen_at) where next_attempt_at is null;

CREATE INDEX notification_tokens_callback on notification_tokens (callback_id) where callback_id is not null;

CREATE TABLE charge_routes (
  environment text not null,
  resource text not null check (resource in ('charge', 'subscription')),
  resource_id text not null,
  owner text,
  url text not null,
  destination_id integer not null references destinations (id),
  is_confirmed integer not null default 0,
  changed_at integer not null,
  primary key (environment, resource, resource_id)
) strict, without rowid;

CREATE INDEX charge_routes_destination on charge_routes (destination_id);

CREATE TABLE actions (
  id integer primary key autoincrement,
  at integer not null,
  actor text not null,
  channel text not null check (channel in ('page', 'api', 'control')),
  action text not null,
  target text,
  reason text,
  details text,
  refers_to integer,
  hash blob not null
) strict;

CREATE TABLE question_budgets (
  environment text not null,
  purpose text not null,
  day text not null,
  used integer not null,
  primary key (environment, purpose, day)
) strict, without rowid;

CREATE TABLE known_subjects (
  kind text not null,
  environment text not null,
  subject text not null,
  type text not null,
  statuses text not null,
  token text,
  day text,
  first_at integer not null,
  event_at integer,
  expected_at integer,
  asked_at integer,
  asks integer not null default 0,
  next_ask_at integer,
  gap text check (gap in ('unknown', 'undecided')),
  silence_raised_at integer,
  primary key (kind, environment, subject)
) strict, without rowid;

CREATE INDEX known_subjects_open on known_subjects (kind, environment, first_at, subject) where next_ask_at is not null;

CREATE INDEX known_subjects_silent on known_subjects (kind, environment, expected_at)
  where expected_at is not null and event_at is null and silence_raised_at is null;

CREATE INDEX known_subjects_met on known_subjects (kind, environment, event_at) where expected_at is not null and event_at is not null;

CREATE INDEX known_subjects_day on known_subjects (kind, environment, day) where day is not null;

CREATE INDEX known_subjects_closed on known_subjects (first_at) where next_ask_at is null;

CREATE INDEX known_subjects_gap on known_subjects (gap, first_at) where gap is not null;

CREATE TABLE reconciled_facts (
  kind text not null,
  environment text not null,
  subject text not null,
  status text not null,
  event_id integer not null,
  primary key (kind, environment, subject, status)
) strict, without rowid;

CREATE INDEX reconciled_facts_event on reconciled_facts (event_id);

CREATE TABLE event_days (
  kind text not null,
  environment text not null,
  day text not null,
  received integer not null default 0,
  reconciled integer not null default 0,
  unknown integer not null default 0,
  primary key (day, kind, environment)
) strict, without rowid;

CREATE TABLE gateway_runs (
  id integer primary key,
  node text not null,
  started_at integer not null,
  seen_at integer not null,
  ended_at integer
) strict;

CREATE TABLE outages (
  id integer primary key,
  began_at integer not null,
  ended_at integer,
  cause text not null check (cause in ('down', 'refusing')),
  raised_at integer,
  reconciled_at integer
) strict;

CREATE TABLE hour_sums (
  hour integer not null,
  environment text not null,
  kind text not null,
  destination_id integer not null,
  succeeded integer not null,
  failed integer not null,
  primary key (hour, environment, kind, destination_id)
) strict, without rowid;

CREATE TABLE alarms (
  record text not null check (record in ('alarm', 'mute', 'channel')),
  code text not null,
  subject text not null,
  value text not null,
  primary key (record, code, subject)
) strict, without rowid;

CREATE TABLE meta (
  key text primary key,
  value text not null
) strict;

CREATE TABLE callbacks (
  id integer primary key,
  received_at integer not null,
  kind text not null,
  environment text not null,
  listener text,
  authentication text not null,
  peer_id integer references peers (id),
  remote_address text,
  target text,
  tls_version text,
  cipher text,
  content_type text,
  headers text not null,
  mark text,
  payload_removed_at integer,
  redacted_at integer,
  event_id integer,
  body blob not null
) strict;

CREATE TABLE callback_blocks (
  kind text not null,
  block integer not null,
  earliest integer not null,
  with_payload integer not null,
  without_payload integer not null,
  primary key (kind, block)
) strict, without rowid;

CREATE INDEX callback_blocks_last on callback_blocks (block);

CREATE TRIGGER callbacks_emptied after update of payload_removed_at on callbacks
when old.payload_removed_at is null and new.payload_removed_at is not null
begin
  update callback_blocks set with_payload = with_payload - 1, without_payload = without_payload + 1 where kind = old.kind and block = old.id >> 10;
end;

CREATE TRIGGER callbacks_removed after delete on callbacks
begin
  update callback_blocks
    set with_payload = with_payload - (old.payload_removed_at is null), without_payload = without_payload - (old.payload_removed_at is not null)
    where kind = old.kind and block = old.id >> 10;
  delete from callback_blocks where kind = old.kind and block = old.id >> 10 and with_payload + without_payload = 0;
end;

CREATE TABLE events (
  id integer primary key,
  nonce text not null,
  callback_id integer not null references callbacks (id),
  kind text not null,
  environment text not null,
  received_at integer not null,
  subject text,
  status text,
  part integer not null,
  parts integer not null,
  array_start integer,
  array_end integer,
  item_start integer,
  item_end integer,
  fact_hash blob,
  payload_hash blob not null,
  hash blob not null,
  duplicates integer not null default 0,
  last_seen_at integer,
  payload_removed_at integer,
  is_single integer,
  first_delivery integer,
  last_delivery integer
) strict;

CREATE INDEX events_callback on events (callback_id) where is_single is null;

CREATE INDEX events_repeated on events (received_at) where duplicates > 0;

CREATE TABLE event_blocks (
  block integer primary key,
  earliest integer not null,
  latest integer not null
) strict;

CREATE TABLE block_contents (
  block integer not null,
  kind text not null,
  environment text not null,
  status text not null,
  earliest integer not null,
  latest integer not null,
  first integer not null,
  last integer not null,
  primary key (block, kind, environment, status)
) strict, without rowid;

CREATE TABLE subject_blocks (
  block integer primary key,
  data blob not null
) strict;

CREATE TABLE subject_sets (
  id integer primary key,
  data blob not null
) strict;

CREATE TABLE sealed_blocks (
  block integer primary key,
  hashes integer not null,
  latest integer not null,
  filter blob not null
) strict;

CREATE TABLE sealed_hashes (
  id integer primary key,
  entries blob not null
) strict;

CREATE TABLE deliveries (
  id integer primary key,
  event_id integer not null references events (id),
  destination_id integer not null references destinations (id),
  state text not null default 'pending' check (
    state = 'pending' or state = 'delivered' or state = 'blocked' or state = 'exhausted' or state = 'canceled'
  ),
  attempts integer not null default 0,
  retries_used integer not null default 0,
  order_key integer,
  next_attempt_at integer,
  claimed_by integer,
  claimed_at integer,
  created_at integer not null,
  replayed_at integer,
  ended_at integer,
  reason text,
  last_status integer,
  last_error text,
  replay_id integer references replays (id),
  delivered_at integer,
  delivered_key integer,
  first_started_at integer,
  first_answer blob,
  is_first integer
) strict;

CREATE INDEX deliveries_due on deliveries (destination_id, replay_id is not null, next_attempt_at) where state = 'pending' and claimed_by is null;

CREATE INDEX deliveries_claimed on deliveries (destination_id, next_attempt_at) where claimed_by is not null;

CREATE INDEX deliveries_failed on deliveries (state, id) where state in ('exhausted', 'canceled');

CREATE INDEX deliveries_order on deliveries (destination_id, order_key, event_id) where order_key is not null;

CREATE INDEX deliveries_holding on deliveries (destination_id) where state = 'exhausted' and order_key is not null;

CREATE INDEX deliveries_of_replay on deliveries (replay_id) where replay_id is not null and state in ('pending', 'blocked');

CREATE INDEX deliveries_in_order on deliveries (destination_id, delivered_key, event_id) where delivered_key is not null;

CREATE INDEX deliveries_event on deliveries (event_id) where is_first is null;

CREATE TABLE attempts (
  id integer primary key,
  delivery_id integer not null references deliveries (id),
  attempt integer not null,
  started_at integer not null,
  duration_ms integer not null,
  status integer,
  error text,
  answer blob
) strict;

CREATE INDEX attempts_delivery on attempts (delivery_id);

CREATE TABLE event_bodies (
  event_id integer primary key references events (id),
  source text not null check (source in ('resolved', 'unresolved')),
  body blob,
  check ((source = 'resolved') = (body is not null))
) strict;

CREATE TABLE search_runs (
  id integer primary key autoincrement,
  first integer not null,
  last integer not null,
  events integer not null,
  bytes integer not null
) strict;

CREATE UNIQUE INDEX search_runs_last on search_runs (last);

CREATE TABLE search_pages (
  id integer primary key,
  run integer not null references search_runs (id),
  first_term blob not null,
  data blob not null
) strict;

CREATE UNIQUE INDEX search_pages_term on search_pages (run, first_term);

insert into sqlite_sequence (name, seq) values ('events', 0);
