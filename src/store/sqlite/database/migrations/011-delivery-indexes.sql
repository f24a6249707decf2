-- The deliveries that are made with their event have neighbouring ids, which the event names: first_delivery to last_delivery. They have is_first = 1 and
-- need no entry in the index deliveries_event. Of all other deliveries, and of those of earlier versions, is_first is null.
-- In the text of the schema: for a strict table `alter table` reads every row.
pragma writable_schema = on;
update sqlite_schema set sql = substr(sql, 1, length(sql) - length(') strict')) || ', first_delivery integer, last_delivery integer) strict'
  where type = 'table' and name = 'events';
update sqlite_schema set sql = substr(sql, 1, length(sql) - length(') strict')) || ', is_first integer) strict'
  where type = 'table' and name = 'deliveries';
pragma writable_schema = reset;

-- The start voids all old claims. Here already, so that the index of claims is empty, and that of due deliveries has no claimed one.
insert into attempts (delivery_id, attempt, started_at, duration_ms, error)
  select id, attempts, claimed_at, max(0, cast(unixepoch('subsec') * 1000 as integer) - claimed_at),
    'interrupted: the gateway ended before the outcome was on record; it may have arrived'
  from deliveries where claimed_by is not null;
update deliveries set claimed_by = null, claimed_at = null,
  next_attempt_at = case state when 'pending' then cast(unixepoch('subsec') * 1000 as integer) end
  where claimed_by is not null;

-- The content of these indexes is already that of the new ones: a new index of all deliveries would take minutes.
pragma writable_schema = on;
update sqlite_schema set sql = sql || ' and claimed_by is null' where type = 'index' and name = 'deliveries_due';
update sqlite_schema set sql = 'CREATE INDEX deliveries_claimed on deliveries (destination_id, next_attempt_at) where claimed_by is not null'
  where type = 'index' and name = 'deliveries_claimed';
update sqlite_schema set sql = sql || ' where is_first is null' where type = 'index' and name = 'deliveries_event';
pragma writable_schema = reset;

-- Other connections read the schema again only after a statement like these.
create view changed as select 1;
drop view changed;
