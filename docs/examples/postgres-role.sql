-- The database of Portaria and its only user, who may do nothing else. For psql, as a superuser, with the file of the password that the gateway has, too:
--   psql -v database=portaria -v user=portaria -v password_file=/etc/portaria/postgres-password -f postgres-role.sql
-- In pg_hba.conf, the user is let in by TLS alone:
--   hostssl portaria portaria 10.0.0.0/24 scram-sha-256
\set ON_ERROR_STOP on
\set password `cat :'password_file'`
set log_statement = 'none';
set password_encryption = 'scram-sha-256';
create role :"user" login nosuperuser nocreatedb nocreaterole noreplication password :'password';
create database :"database" encoding 'UTF8' template template0;
revoke all on database :"database" from public;
grant connect on database :"database" to :"user";
alter role :"user" in database :"database" set search_path = :"user";
\connect :"database"
revoke all on schema public from public;
create schema :"user" authorization :"user";
