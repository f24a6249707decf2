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
