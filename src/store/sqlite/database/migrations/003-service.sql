-- A token of a charge notification, and the job that asks the service for its entries. The job waits while next_attempt_at is not null.
-- version rises with every callback of the token. callback_id: the callback of the present wait, or of the last one; null: retention removed it.
-- last_seen_at: its last callback. is_unresolved: the token became an event of its own in this wait. All entries up to entries_through are events, and those in the JSON array
-- entries_beyond.
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

-- Queries taken from the budget of a UTC day.
create table service_budgets (
  environment text not null,
  day text not null,
  used integer not null,
  primary key (environment, day)
) strict, without rowid;

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

-- The charge and subscription that a fact in quarantine is about: a released one follows their routes.
alter table quarantine add column charge_reference text;
alter table quarantine add column subscription_reference text;
