-- Renames columns, and the key of the writer epoch, to the terms of the code. The rows stay.
alter table deliveries rename column steps_used to retries_used;
alter table consumers rename column told to gaps_reported_at;
alter table replays rename column owed to requeued;
update meta set key = 'writer_epoch' where key = 'owner';
