import type pg from 'pg'
import { PortariaError } from '../../../platform/errors.ts'

const OLDEST_SERVER = 15

/** @param isWriting the server has to be the primary @throws PortariaError `store_unavailable` */
export async function refuseServer(client: pg.Client, isWriting: boolean): Promise<void> {
  const { rows } = await client.query(`
    select current_setting('server_version_num')::integer / 10000 as version, current_setting('server_version') as words,
      pg_is_in_recovery() as is_standby, current_setting('default_transaction_read_only')::boolean as is_read_only,
      current_schema() as schema, current_setting('server_encoding') as encoding`)
  const { version, words, is_standby, is_read_only, schema, encoding } = rows[0]
  if (version < OLDEST_SERVER)
    refuse(`PostgreSQL ${words} is too old: Portaria needs version ${OLDEST_SERVER} or newer, upgrade the server`)
  if (isWriting && is_standby)
    refuse('this PostgreSQL is a standby, which only reads: name the primary in storage.url, or promote this one')
  if (isWriting && is_read_only)
    refuse('the database may only be read: set default_transaction_read_only to off for it and its user')
  if (schema === null)
    refuse('no schema of the search_path is there, or this user may not use it: create one for the user')
  if (encoding !== 'UTF8') refuse(`the database has the encoding ${encoding}: create one with the encoding UTF8`)
}

function refuse(words: string): never {
  throw new PortariaError('store_unavailable', words)
}

/** Settings with which a commit that was acknowledged can be lost, each in words; empty: none. */
export async function listUnsafeSettings(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query(`
    select name, setting from pg_settings
    where name in ('fsync', 'full_page_writes', 'synchronous_commit', 'synchronous_standby_names')`)
  const settings = new Map<string, string>(rows.map(({ name, setting }) => [name, setting]))
  const hasStandby = settings.get('synchronous_standby_names') !== ''
  const commit = settings.get('synchronous_commit')
  return [
    ...(settings.get('fsync') === 'off' ? ['fsync is off: a crash of the machine can destroy the database'] : []),
    ...(settings.get('full_page_writes') === 'off'
      ? ['full_page_writes is off: a crash of the machine can destroy the database']
      : []),
    ...(commit === 'off' ? ['synchronous_commit is off: a crash of the server loses acknowledged callbacks'] : []),
    ...(commit === 'local' && hasStandby
      ? ['synchronous_commit is local: a failover to the synchronous standby loses acknowledged callbacks']
      : []),
  ]
}
