create table meta (
  key text primary key,
  value text not null
) strict;

-- A caller's certificate, once for each fingerprint. last_seen_at: to the hour.
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

-- One POST of the service with its evidence, immutable; or the body of an event that the gateway made itself (authentication none: nobody
-- called, at no listener). payload_removed_at: since then the body is empty. redacted_at: since then some of its facts are blanks in the body.
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
  body blob not null
) strict;

-- The way of retention, through what still has its body and what has none.
create index callbacks_age on callbacks (kind, payload_removed_at is not null, received_at);

-- One fact. Its id is its position: given in commit order, never used again. payload_hash: SHA-256 of the bytes that its delivery carries.
-- hash: SHA-256 of the hash of the event before it and its own digest (domain/event-hash.ts).
create table events (
  id integer primary key autoincrement,
  nonce text not null,
  callback_id integer not null references callbacks (id),
  kind text not null,
  environment text not null,
  received_at integer not null,
  subject text,
  subject_hash integer,
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
  payload_removed_at integer
) strict;

create index events_callback on events (callback_id);
-- In blocks of 1,024 events: what is inserted stays within a few pages, and a search looks once into each block.
create index events_subject on events (id >> 10, subject_hash) where subject_hash is not null;

-- Blocks of 1,024 events to which nothing is added any more, and what there is in each: a search passes over those that hold nothing for it.
-- earliest, latest: when they were received. first, last: positions. What retention has removed may still be in it.
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

-- What is left of an event whose row retention removed, so that the hashes of later ones still follow. Links in front of all events are folded
-- into meta (event_anchor: position and hash).
create table removed_events (
  position integer primary key,
  digest blob not null
) strict;

-- A fact that is held back: no event, until it is released. The same fact again only counts. event_id: what it became, or was already.
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
  payload_removed_at integer
) strict;

create index quarantine_fact on quarantine (fact_hash) where fact_hash is not null;
create index quarantine_state on quarantine (state, id);
create index quarantine_event on quarantine (event_id) where event_id is not null;
create index quarantine_callback on quarantine (callback_id);

-- What came again in a callback that was stored for its other facts: bytes about a subject that no event leads to.
create table repeats (
  callback_id integer not null references callbacks (id),
  item_start integer not null,
  item_end integer not null,
  environment text not null,
  subject text not null,
  primary key (callback_id, item_start)
) strict, without rowid;

create index repeats_subject on repeats (subject);

-- Up to where retention has removed events of a kind and environment, or is about to, and when that was said (later with every row). Kind
-- and environment '': a backup was restored, and whatever was given up to there may be lost.
create table removals (
  kind text not null,
  environment text not null,
  through integer not null,
  announced_at integer not null,
  primary key (kind, environment)
) strict, without rowid;

-- Rows are never removed. owner: the client whose own it is. registration_id: UUID, of one that was made through the service's contract. Until previous_secret_until all its secrets sign, then the first alone; null: no end.
-- deliveries_after: number of the newest delivery when it was made; its own come behind.
-- deliveries_through: number of the newest delivery when it had left and everything that waited for it was canceled; null until then.
-- A deleted destination's row goes as soon as no delivery and no replay can refer to it.
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
  subjects text,
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

-- One event owed to one destination. While it is claimed, next_attempt_at is the end of the lease.
-- order_key: it stands in the line of its subject, in which the others follow the head in the order of their events; null when it stands in
-- none, or has left it.
-- replay_id: the replay that owes it, after everything else; null when nobody replayed it, or by itself.
-- delivered_at, delivered_key: the last success, and the line in which it stood then, also once it is owed again.
create table deliveries (
  id integer primary key,
  event_id integer not null references events (id),
  destination_id integer not null references destinations (id),
  state text not null default 'pending' check (state in ('pending', 'blocked', 'delivered', 'exhausted', 'canceled')),
  attempts integer not null default 0,
  steps_used integer not null default 0,
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
  delivered_key integer
) strict;

-- What replays owe stands apart in it, for it is claimed last.
create index deliveries_due on deliveries (destination_id, replay_id is not null, next_attempt_at) where state = 'pending';
create index deliveries_claimed on deliveries (id) where claimed_by is not null;
create index deliveries_failed on deliveries (state, id) where state in ('exhausted', 'canceled');
create index deliveries_line on deliveries (destination_id, order_key, event_id) where order_key is not null;
create index deliveries_holding on deliveries (destination_id) where state = 'exhausted' and order_key is not null;
create index deliveries_of_replay on deliveries (replay_id) where replay_id is not null and state in ('pending', 'blocked');
create index deliveries_in_order on deliveries (destination_id, delivered_key, event_id) where delivered_key is not null;
create index deliveries_event on deliveries (event_id);

-- Events that are owed once more, a piece at a time: everything up to position is done, nothing behind up_to belongs to it.
create table replays (
  id integer primary key autoincrement,
  destination_id integer not null references destinations (id),
  owner text,
  mode text not null,
  filter text not null,
  state text not null default 'running' check (state in ('running', 'done', 'canceled', 'failed')),
  reason text,
  matched integer not null,
  owed integer not null default 0,
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

-- A caller that was turned away. Bounded: the oldest go. count: with code left_out, how many it stands for.
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

-- The certificate that a destination's server showed last, and where.
create table destination_certificates (
  destination_id integer primary key references destinations (id),
  host text not null,
  fingerprint text not null,
  subject text not null,
  issuer text not null,
  not_after integer not null,
  seen_at integer not null
) strict;

-- The lowest warning that went out about a certificate's end, in days; 0: that it has expired.
create table expiry_warnings (
  certificate_set text not null,
  fingerprint text not null,
  warning integer not null,
  warned_at integer not null,
  primary key (certificate_set, fingerprint)
) strict, without rowid;

-- The last silence of a kind that was told of: since when it was silent; 0: from the beginning.
create table silences (
  kind text primary key,
  since integer not null,
  raised_at integer not null
) strict, without rowid;

-- Named readers whose positions are kept here. told: removals announced up to then are known to it. owner: the client whose own it is; null: the operator's. batch: what was lent out last, up to
-- batch_end; null: it was acknowledged, or the consumer was moved.
create table consumers (
  id integer primary key autoincrement,
  owner text,
  name text not null,
  position integer not null,
  told integer not null default 0,
  batch text,
  batch_end integer,
  batch_expires_at integer,
  created_at integer not null,
  acknowledged_at integer
) strict;

create unique index consumers_name on consumers (coalesce(owner, ''), name);

-- Users of the API. Of a secret only the SHA-256 is kept; the one before the last rotation counts until previous_valid_until. Rows are never
-- removed. The key that access tokens are signed with is in meta.
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
