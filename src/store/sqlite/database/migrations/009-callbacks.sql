-- A callback with one fact, stored with its event, names that event: event_id. The event has is_single = 1 and needs no entry in the index events_callback.
-- Of all other callbacks, and of those of earlier versions, event_id and is_single are null.
alter table callbacks add column event_id integer;
alter table events add column is_single integer;

-- All events that exist have is_single = null, so the content of the index is already that of the partial one.
pragma writable_schema = on;
update sqlite_schema set sql = sql || ' where is_single is null' where type = 'index' and name = 'events_callback';
pragma writable_schema = reset;

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

insert into callback_blocks (kind, block, earliest, with_payload, without_payload)
  select kind, id >> 10, min(received_at), sum(not (payload_removed_at is not null)), sum(payload_removed_at is not null)
  from callbacks indexed by callbacks_age where id >> 10 < (select max(id) from callbacks) >> 10 group by kind, id >> 10;

drop index callbacks_age;

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
