-- The index of subjects moves behind the writer: sorted entries of each summarized block, and of each 128 blocks in 128 rows (id = set * 128 + bucket).
-- The gateway fills them for the events of older schemas when it starts. events.subject_hash stays null from now on.
create table subject_blocks (
  block integer primary key,
  data blob not null
) strict;

create table subject_sets (
  id integer primary key,
  data blob not null
) strict;

drop index events_subject;
