-- Positions come from the writer's memory: each insert into a table with autoincrement would write the page of sqlite_sequence. Its row `events` stays as the
-- mark of the last assigned position. The change of the text leaves the content of the table as it is, so no row is copied.
insert into sqlite_sequence (name, seq) select 'events', 0 where not exists (select 1 from sqlite_sequence where name = 'events');
pragma writable_schema = on;
update sqlite_schema set sql = replace(sql, 'id integer primary key autoincrement', 'id integer primary key') where type = 'table' and name = 'events';
pragma writable_schema = reset;
-- Other connections read the schema again.
create table schema_change (id integer primary key);
drop table schema_change;
