import { readFileSync } from 'node:fs'
import type pg from 'pg'
import { PortariaError } from '../../../platform/errors.ts'
import { programFile } from '../../../platform/program-files.ts'

/** One step of the schema. Its number is its place in the list, from 1. */
export interface Migration {
  readonly sql: string
  /** The oldest schema whose programs may go on with the database behind this step. */
  readonly oldest: number
}

const MIGRATIONS: readonly Migration[] = [
  { sql: readFileSync(programFile('src/store/postgres/database/schema.sql'), 'utf8'), oldest: 1 },
]

const OLDEST_SERVER = 15
/** Any number. Held while the schema is looked at and changed. */
const SCHEMA_LOCK = 7_220_331

/** `portaria` before it is in `meta`: none. */
interface SchemaState {
  readonly version: number
  readonly oldest: number
}

/**
 * Brings the schema up to date, in one transaction: nodes that start at once do it once, and a failure leaves it as it was.
 * @throws PortariaError `store_unavailable`, `store_newer`
 */
export async function openSchema(client: pg.Client, migrations = MIGRATIONS): Promise<void> {
  await refuseServer(client)
  await client.query(`begin; select pg_advisory_xact_lock(${SCHEMA_LOCK})`)
  const state = await readState(client)
  const { version } = state
  refuseNewer(state, migrations.length)
  if (version < migrations.length) await migrate(client, migrations.slice(version), state)
  await client.query('commit')
}

async function refuseServer(client: pg.Client): Promise<void> {
  const { rows } =
    await client.query(`select current_setting('server_version_num')::integer / 10000 as version, current_setting('server_version') as words,
    pg_is_in_recovery() as is_standby, current_setting('transaction_read_only')::boolean as is_read_only, current_schema() as schema`)
  const { version, words, is_standby, is_read_only, schema } = rows[0]
  if (version < OLDEST_SERVER)
    refuse(`this is PostgreSQL ${words}, and Portaria needs ${OLDEST_SERVER} or newer: upgrade the server`)
  if (is_standby)
    refuse('this PostgreSQL is a standby, which only reads: give the address of the primary, or promote this one')
  if (is_read_only) refuse('this database or user may only read: set default_transaction_read_only to off')
  if (schema === null)
    refuse('no schema of the search_path exists: create the schema, or set the search_path of the user')
}

async function readState(client: pg.Client): Promise<SchemaState> {
  const { rows } = await client.query(
    "select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') order by relname",
  )
  const tables = rows.map(({ name }) => name as string)
  if (tables.length === 0) return { version: 0, oldest: 0 }
  const values = tables.includes('meta') && tables.includes('head') ? await readVersions(client) : null
  if (values === null) {
    const some = tables.slice(0, 3).join(', ')
    refuse(
      `the database holds tables that are not Portaria's (${some}): create an empty database for Portaria, and name that one`,
    )
  }
  return values
}

/** null: it is not ours. */
async function readVersions(client: pg.Client): Promise<SchemaState | null> {
  const { rows } = await client.query("select key, value from meta where key in ('schema_version', 'oldest_program')")
  const numberOf = (key: string) => Number(rows.find((row) => row.key === key)?.value)
  const state = { version: numberOf('schema_version'), oldest: numberOf('oldest_program') }
  return Number.isInteger(state.version) && Number.isInteger(state.oldest) ? state : null
}

function refuseNewer({ version, oldest }: SchemaState, known: number): void {
  if (oldest <= known) return
  throw new PortariaError(
    'store_newer',
    `the database has schema ${version}, but this Portaria knows only up to ${known}: run the newer Portaria that wrote it, or restore a backup from before the upgrade`,
  )
}

async function migrate(client: pg.Client, missing: readonly Migration[], { version }: SchemaState): Promise<void> {
  for (const { sql } of missing) await client.query(sql)
  const oldest = Math.max(...missing.map((step) => step.oldest))
  await client.query(
    "insert into meta (key, value) values ('schema_version', $1), ('oldest_program', $2) on conflict (key) do update set value = excluded.value",
    [version + missing.length, oldest],
  )
}

function refuse(words: string): never {
  throw new PortariaError('store_unavailable', words)
}
