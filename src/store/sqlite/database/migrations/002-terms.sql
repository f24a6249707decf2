-- The columns and the key whose names no longer fit the words of the code.
alter table deliveries rename column steps_used to retries_used;
alter table consumers rename column told to gaps_reported_at;
alter table replays rename column owed to requeued;
update meta set key = 'writer_epoch' where key = 'owner';
