-- The same check of `state` as before. SQLite fills a temporary tree with a list after `in` each time that it checks a row: a third of the CPU of an insert.
pragma writable_schema = on;
update sqlite_schema set sql = replace(sql, 'state in (''pending'', ''blocked'', ''delivered'', ''exhausted'', ''canceled'')',
    'state = ''pending'' or state = ''delivered'' or state = ''blocked'' or state = ''exhausted'' or state = ''canceled''')
  where type = 'table' and name = 'deliveries';
pragma writable_schema = reset;

-- Other connections read the schema again only after a statement like these.
create view changed as select 1;
drop view changed;
