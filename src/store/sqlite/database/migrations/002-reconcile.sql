-- Budgets of questions to the service, by what is asked.
create table question_budgets (
  environment text not null,
  purpose text not null,
  day text not null,
  used integer not null,
  primary key (environment, purpose, day)
) strict, without rowid;

insert into question_budgets select environment, 'notifications', day, used from service_budgets;
drop table service_budgets;

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

create index events_repeated on events (received_at) where duplicates > 0;

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
