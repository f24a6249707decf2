-- Before the tables of sql/tables.sql.

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
