create table meta (
  key text primary key,
  value text not null
) strict;

-- Peer certificates of callers, once per fingerprint. last_seen_at: to the hour.
create table peers (
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

-- One POST of the service with its evidence, immutable; or the body of an event of the gateway itself (authentication none, no listener).
-- payload_removed_at: when the body was emptied. redacted_at: when facts in the body were blanked.
-- event_id: the event of a callback with one fact that was stored with its event; null: the events name their callback.
create table callbacks (
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

-- Of the callbacks of one kind whose id >> 10 is this block: the earliest time of receipt, and how many of them have their payload, and have it no more.
-- Written when the next block begins. Retention finds by it what is old; the triggers keep it up to date.
create table callback_blocks (
  kind text not null,
  block integer not null,
  earliest integer not null,
  with_payload integer not null,
  without_payload integer not null,
  primary key (kind, block)
) strict, without rowid;

create index callback_blocks_last on callback_blocks (block);

create trigger callbacks_emptied after update of payload_removed_at on callbacks
when old.payload_removed_at is null and new.payload_removed_at is not null
begin
  update callback_blocks set with_payload = with_payload - 1, without_payload = without_payload + 1 where kind = old.kind and block = old.id >> 10;
end;

create trigger callbacks_removed after delete on callbacks
begin
  update callback_blocks
    set with_payload = with_payload - (old.payload_removed_at is null), without_payload = without_payload - (old.payload_removed_at is not null)
    where kind = old.kind and block = old.id >> 10;
  delete from callback_blocks where kind = old.kind and block = old.id >> 10 and with_payload + without_payload = 0;
end;

-- One fact. Its id is its position: assigned in commit order, never reused. payload_hash: SHA-256 of the bytes that its deliveries carry.
-- hash: SHA-256 of the previous event's hash and its own digest (domain/event-hash.ts).
-- is_single: 1 where the row of the callback names this event, which then has no entry in the index events_callback; else null.
-- first_delivery to last_delivery: the ids of the deliveries that were made with the event; null: there were none.
create table events (
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

create index events_callback on events (callback_id) where is_single is null;
create index events_repeated on events (received_at) where duplicates > 0;

-- Summaries of complete blocks of 1,024 events: a search skips blocks without a match. earliest, latest: times of receipt. first, last: positions.
-- They may still include events that retention has removed.
create table event_blocks (
  block integer primary key,
  earliest integer not null,
  latest integer not null
) strict;

create table block_contents (
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

-- The index of subjects: sorted entries of each summarized block, and of each 128 blocks in 128 rows (id = set * 128 + bucket).
create table subject_blocks (
  block integer primary key,
  data blob not null
) strict;

create table subject_sets (
  id integer primary key,
  data blob not null
) strict;

-- Fact hashes of complete blocks of 2^17 positions, for the deduplication. block: position >> 17. hashes: their number. latest: the latest receiving time.
-- filter: a Bloom filter of 14 bits a hash, 8 probes, as little-endian words of 32 bits. src/store/sqlite/deduplication/ writes and reads both tables.
create table sealed_blocks (
  block integer primary key,
  hashes integer not null,
  latest integer not null,
  filter blob not null
) strict;

-- id: block << 8 | the first 8 bits of the hash. entries: a little-endian word of 32 bits for each hash: its next 15 bits, then the last 17 bits of the
-- position.
create table sealed_hashes (
  id integer primary key,
  entries blob not null
) strict;

-- Digests of events whose rows retention removed: the hashes of later events depend on them. Digests before the first event are folded into meta
-- (event_anchor: position and hash).
create table removed_events (
  position integer primary key,
  digest blob not null
) strict;

-- A fact in quarantine: no event unless it is released. An equal fact is only counted. event_id: its event, or another event of an equal fact.
-- charge_reference, subscription_reference: the charge and subscription that it is about: a released fact follows their routes.
create table quarantine (
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

create index quarantine_fact on quarantine (fact_hash) where fact_hash is not null;
create index quarantine_state on quarantine (state, id);
create index quarantine_event on quarantine (event_id) where event_id is not null;
create index quarantine_callback on quarantine (callback_id);

-- Repeated facts in callbacks that were stored for other facts: data of a subject that belongs to no event.
create table repeats (
  callback_id integer not null references callbacks (id),
  item_start integer not null,
  item_end integer not null,
  environment text not null,
  subject text not null,
  primary key (callback_id, item_start)
) strict, without rowid;

create index repeats_subject on repeats (subject);

-- Retention has removed, or will remove, events of a kind and environment up to this position. announced_at increases with every announcement, which
-- deletes rows that do not reach further. Kind and environment '': a backup was restored, and all events up to this position may be lost.
create table removals (
  kind text not null,
  environment text not null,
  through integer not null,
  announced_at integer not null,
  primary key (kind, environment, through)
) strict, without rowid;

-- owner: id of the client that owns it; null: the operator. registration_id: UUID of a registration through the service's contract.
-- Until previous_secret_until all its secrets sign, then only the first; null: no end.
-- deliveries_after: number of the newest delivery at its creation; its own have larger numbers.
-- deliveries_through: number of the newest delivery when it was removed and its waiting deliveries were canceled; null until then.
-- The row of a deleted destination is removed when no delivery and no replay can refer to it.
create table destinations (
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

create unique index destinations_name on destinations (coalesce(owner, ''), name) where state in ('active', 'paused', 'retired');

create index destinations_present on destinations (id) where state in ('active', 'paused');

create index destinations_leaving on destinations (id) where state in ('retired', 'deleted') and deliveries_through is null;

create index destinations_gone on destinations (deliveries_through) where state = 'deleted' and deliveries_through is not null;

-- One event for one destination. While it is claimed, next_attempt_at is the end of the lease.
-- order_key: its per-subject queue; null: it is in none, or has left it. The first in the order of events is the head.
-- replay_id: the replay that requeued it, after all live deliveries; null: none, or it was replayed individually.
-- delivered_at, delivered_key: the last success and its order key; they stay when it is requeued.
-- first_started_at, first_answer: the attempt of a delivery that succeeded at once, in place of a row of `attempts`. A second attempt moves it there.
-- is_first: 1 for a delivery that was made with its event, which names it and its neighbours; it has no entry in the index deliveries_event. Else null.
-- The check of the state has no list: SQLite fills a temporary tree with one each time that it checks a row, a third of the CPU of an insert.
create table deliveries (
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

-- Deliveries of replays are separate in it, because they are claimed last.
create index deliveries_due on deliveries (destination_id, replay_id is not null, next_attempt_at) where state = 'pending' and claimed_by is null;
create index deliveries_claimed on deliveries (destination_id, next_attempt_at) where claimed_by is not null;
create index deliveries_failed on deliveries (state, id) where state in ('exhausted', 'canceled');
create index deliveries_order on deliveries (destination_id, order_key, event_id) where order_key is not null;
create index deliveries_holding on deliveries (destination_id) where state = 'exhausted' and order_key is not null;
create index deliveries_of_replay on deliveries (replay_id) where replay_id is not null and state in ('pending', 'blocked');
create index deliveries_in_order on deliveries (destination_id, delivered_key, event_id) where delivered_key is not null;
create index deliveries_event on deliveries (event_id) where is_first is null;

-- Events that are requeued step by step: all events up to position are done, events after up_to do not belong to it.
create table replays (
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

create index replays_running on replays (id) where state = 'running';

create table attempts (
  id integer primary key,
  delivery_id integer not null references deliveries (id),
  attempt integer not null,
  started_at integer not null,
  duration_ms integer not null,
  status integer,
  error text,
  answer blob
) strict;

create index attempts_delivery on attempts (delivery_id);

-- A refused caller. Bounded: the oldest are removed. count: with code left_out, the number of refusals that it summarizes.
create table refusals (
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

create index refusals_address on refusals (remote_address, id);

-- The latest certificate of a destination's server, and the host that presented it.
create table destination_certificates (
  destination_id integer primary key references destinations (id),
  host text not null,
  fingerprint text not null,
  subject text not null,
  issuer text not null,
  not_before integer not null,
  not_after integer not null,
  seen_at integer not null
) strict;

-- The latest expiry warning about a certificate, in days left; 0: it has expired.
create table expiry_warnings (
  certificate_set text not null,
  fingerprint text not null,
  warning integer not null,
  warned_at integer not null,
  primary key (certificate_set, fingerprint)
) strict, without rowid;

-- The last reported silence of a kind: its beginning; 0: no callback was ever received.
create table silences (
  kind text primary key,
  since integer not null,
  raised_at integer not null
) strict, without rowid;

-- Named readers with a stored position. gaps_reported_at: removals announced up to this time were reported to it.
-- owner: id of the client that owns it; null: the operator. batch: the latest lease, up to batch_end; null: acknowledged or canceled.
create table consumers (
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
  previous_valid_until integer,
  generation integer not null default 1,
  created_at integer not null,
  rotated_at integer,
  revoked_at integer
) strict, without rowid;

create unique index clients_name on clients (name) where revoked_at is null;

-- A token of a charge notification, and the job that asks the service for its entries. The job waits while next_attempt_at is not null.
-- version rises with every callback of the token. callback_id: the callback of the present wait, or of the last one; null: retention removed it.
-- last_seen_at: its last callback. is_unresolved: the token became an event of its own in this wait.
-- All entries up to entries_through are events, and those in the JSON array entries_beyond.
create table notification_tokens (
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

-- New jobs are asked for apart from those that are repeated, and those that wait too long apart from both.
create index notification_tokens_waiting on notification_tokens (environment, attempts > 0, next_attempt_at) where next_attempt_at is not null;
create index notification_tokens_since on notification_tokens (environment, waiting_since) where next_attempt_at is not null and is_unresolved = 0;
create index notification_tokens_done on notification_tokens (last_seen_at) where next_attempt_at is null;
-- Retention asks whether the token of a callback waits.
create index notification_tokens_callback on notification_tokens (callback_id) where callback_id is not null;

-- Events of a token. A resolved event has a body of its own; the body of an unresolved one is that of its callback.
create table event_bodies (
  event_id integer primary key references events (id),
  source text not null check (source in ('resolved', 'unresolved')),
  body blob,
  check ((source = 'resolved') = (body is not null))
) strict;

-- The destination that gets the events of a charge or subscription.
create table charge_routes (
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

create index charge_routes_destination on charge_routes (destination_id);

-- The search index. A run indexes the events at the positions first to last, both inclusive; events: how many of them it indexes.
-- bytes: length of its pages. Runs do not overlap, and leave out no event up to the last one.
create table search_runs (
  id integer primary key autoincrement,
  first integer not null,
  last integer not null,
  events integer not null,
  bytes integer not null
) strict;

create unique index search_runs_last on search_runs (last);

-- The terms of a run in order, with the positions of the events that contain them, cut into pages.
create table search_pages (
  id integer primary key,
  run integer not null references search_runs (id),
  first_term blob not null,
  data blob not null
) strict;

create unique index search_pages_term on search_pages (run, first_term);

-- What people and apps changed, or saw of masked data. actor: id of a client, or operator. action: id of the endpoint. target: the object, if the path
-- names one.
-- refers_to: the action that this entry says has failed. hash: SHA-256 over the entry and the hash of the one before it.
create table actions (
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

-- Questions to the service on a UTC day, by what is asked: each purpose has a budget.
create table question_budgets (
  environment text not null,
  purpose text not null,
  day text not null,
  used integer not null,
  primary key (environment, purpose, day)
) strict, without rowid;

-- Subjects that the service can be asked about. `statuses` is a JSON array, each status once.
create table known_subjects (
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
  event_id integer not null,
  primary key (kind, environment, subject, status)
) strict, without rowid;

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
) strict, without rowid;

-- Processes of the gateway, each with its last sign of life.
create table gateway_runs (
  id integer primary key,
  node text not null,
  started_at integer not null,
  seen_at integer not null,
  ended_at integer
) strict;

create table outages (
  id integer primary key,
  began_at integer not null,
  ended_at integer,
  cause text not null check (cause in ('down', 'refusing')),
  raised_at integer,
  reconciled_at integer
) strict;

-- Callbacks of a kind (destination_id 0), or attempts of a destination (environment and kind empty), by the hour in which they ended.
create table hour_sums (
  hour integer not null,
  environment text not null,
  kind text not null,
  destination_id integer not null,
  succeeded integer not null,
  failed integer not null,
  primary key (hour, environment, kind, destination_id)
) strict, without rowid;

-- Alarms that are going on or are still to be sent, mutes, and the state of each channel. `code` of a channel is its name; `value` is JSON.
create table alarms (
  record text not null check (record in ('alarm', 'mute', 'channel')),
  code text not null,
  subject text not null,
  value text not null,
  primary key (record, code, subject)
) strict, without rowid;

-- The mark of the last assigned position. Positions come from the writer's memory: each insert into a table with autoincrement would write the page of
-- sqlite_sequence.
insert into sqlite_sequence (name, seq) values ('events', 0);
