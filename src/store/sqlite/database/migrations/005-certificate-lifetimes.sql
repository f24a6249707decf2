-- Null: the certificate was stored before this column was there. The next connection fills it.
alter table destination_certificates add column not_before integer;
