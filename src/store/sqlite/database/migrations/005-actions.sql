-- What people and apps changed, or saw of masked data. actor: id of a client, or operator. action: id of the endpoint. target: the object, if the path names one.
-- refers_to: the action that this entry says has failed. hash: SHA-256 over the entry and the hash of the one before it.
create table actions (
  id integer primary key autoincrement,
  at integer not null,
  actor text not null,
  channel text not null check (channel in ('page', 'api', 'control')),
  action text not null,
  target text,
  reason text,
  refers_to integer,
  hash blob not null
) strict;
