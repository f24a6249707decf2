-- Beside the tables of sql/tables.sql.

create table meta (
  key text primary key,
  value text not null
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

-- Events of a token. A resolved event has a body of its own; the body of an unresolved one is that of its callback.
create table event_bodies (
  event_id integer primary key references events (id),
  source text not null check (source in ('resolved', 'unresolved')),
  body blob,
  check ((source = 'resolved') = (body is not null))
) strict;

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

-- The mark of the last assigned position. Positions come from the writer's memory: each insert into a table with autoincrement would write the page of
-- sqlite_sequence.
insert into sqlite_sequence (name, seq) values ('events', 0);
