#!/bin/sh
# The synchronous standby of the primary on this machine: a copy at its first start. Every commit waits for it.
set -eu
primary='host=127.0.0.1 port=5432 user=portaria dbname=postgres'
[ -s "$PGDATA/PG_VERSION" ] || pg_basebackup -d "$primary application_name=standby" -D "$PGDATA" --write-recovery-conf
psql -q "$primary" -c "alter system set synchronous_standby_names = 'standby'" -c 'select pg_reload_conf()' >/dev/null
exec postgres -c port=5433 -c listen_addresses=127.0.0.1
