import type { PostgresAddress } from '../../platform/postgres/postgres-address.ts'
import { listUnsafeSettings } from './database/server-check.ts'
import { ask } from './postgres-reader.ts'

/** What `portaria check` judges. */
export interface ServerFacts {
  readonly version: string
  /** Whether this connection is encrypted: then the server's certificate was verified. */
  readonly hasTls: boolean
  readonly hasSynchronousStandby: boolean
  readonly isSuperuser: boolean
  /** Every role of the server may connect to the database, and send notices to the nodes. */
  readonly isOpenToAll: boolean
  /** What the user may not do with tables of Portaria, as `insert into events`. */
  readonly lackingRights: readonly string[]
  /** Settings with which acknowledged callbacks can be lost, each in words. */
  readonly unsafeSettings: readonly string[]
}

/** @throws PortariaError `store_unavailable`, `configuration_invalid` */
export function readServerFacts(address: PostgresAddress): Promise<ServerFacts> {
  return ask(address, async (client) => {
    const { rows: facts } = await client.query(`
      select current_setting('server_version') as version, current_setting('synchronous_standby_names') <> '' as has_standby,
        (select rolsuper from pg_roles where rolname = current_user) as is_superuser,
        has_database_privilege('public', current_database(), 'connect') as is_open,
        (select ssl from pg_stat_ssl where pid = pg_backend_pid()) as has_tls`)
    const { rows: lacking } = await client.query(`
      select concat_ws(' ', wanted.words, relname) as words
      from pg_class, (values ('select', 'select from'), ('insert', 'insert into'), ('update', 'update'), ('delete', 'delete from')) wanted (right_, words)
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not has_table_privilege(pg_class.oid, right_)
      order by relname, right_`)
    return {
      version: facts[0].version,
      hasTls: facts[0].has_tls,
      hasSynchronousStandby: facts[0].has_standby,
      isSuperuser: facts[0].is_superuser,
      isOpenToAll: facts[0].is_open,
      lackingRights: lacking.map(({ words }) => words),
      unsafeSettings: await listUnsafeSettings(client),
    }
  })
}
