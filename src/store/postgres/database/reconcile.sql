-- Budgets of questions to the service, by what is asked.
create table question_budgets (
  environment text not null,
  purpose text not null,
  day text not null,
  used bigint not null,
  primary key (environment, purpose, day)
);

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

create index events_repeated on events (id) where duplicates > 0;
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
