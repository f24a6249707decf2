import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type pg from 'pg'
import { PortariaError } from '../../../platform/errors.ts'
import { programFile } from '../../../platform/program-files.ts'
import { MOVE_KEY, refuseHalfMoved } from '../../rules/half-moved.ts'
import { tablesFor } from '../../sql/schema.ts'
import { listOtherWriters } from './application-name.ts'
import { beginWith } from './connection-options.ts'
import { MAKE_IDENTITY } from './same-database.ts'
import { listMissing, readParts } from './schema-parts.ts'

/** One step of the schema. Its number is its place in the list, from 1. Released steps stay as they are. */
export interface Migration {
  readonly sql: string
  /** The oldest schema whose programs may go on with the database behind this step. */
  readonly oldest: number
}

export const MIGRATIONS: readonly Migration[] = [{ sql: `${read('schema.sql')}\n${tablesFor('postgres')}`, oldest: 1 }]

function read(name: string): string {
  return readFileSync(programFile(`src/store/postgres/database/${name}`), 'utf8')
}

/** Any number. Held while the schema is looked at and changed. */
const SCHEMA_LOCK = 7_220_331

interface SchemaState {
  /** 0: the database is empty. */
  readonly version: number
  /** The oldest schema whose programs may use it. */
  readonly oldest: number
}

/**
 * Brings the schema up to date, in one transaction: nodes that start at once do it once, and a failure leaves it as it was.
 * @param announce makes this connection known to those that look for writers, before another one may look
 * @throws PortariaError `store_unavailable`, `store_newer`
 */
export async function migrate(
  client: pg.Client,
  migrations = MIGRATIONS,
  announce: () => Promise<void> = async () => undefined,
): Promise<void> {
  await client.query(beginWith('isolation level read committed', ['statement_timeout = 0']))
  await client.query(`select pg_advisory_xact_lock(${SCHEMA_LOCK})`)
  const { version } = await checkSchema(client, migrations)
  const missing = migrations.slice(version)
  if (missing.length > 0) {
    const oldest = Math.max(...missing.map((step) => step.oldest))
    if (version > 0) await holdWriters(client)
    if (oldest > version && version > 0) await refuseOlderNodes(client, migrations.length)
    for (const { sql } of missing) await client.query(sql)
    const parts = JSON.stringify(await readParts(client))
    await keepMeta(client, {
      schema_steps: JSON.stringify(migrations.map(digestOf)),
      oldest_program: oldest,
      schema_parts: parts,
    })
  }
  await client.query(MAKE_IDENTITY)
  await announce()
  await client.query('commit')
}

/** @throws PortariaError `store_missing`, `store_newer`, `store_unavailable` */
export async function requireSchema(client: pg.Client, migrations = MIGRATIONS): Promise<void> {
  const { version } = await checkSchema(client, migrations)
  if (version >= migrations.length) return
  const words = version === 0 ? 'holds nothing yet' : `has schema ${version}, this Portaria needs ${migrations.length}`
  throw new PortariaError('store_missing', `the database ${words}: start the gateway once, it makes the schema`)
}

/** @throws PortariaError `store_unavailable` for a database that is being filled from another one */
export async function requireWhole(client: pg.Client): Promise<void> {
  const { rows } = await client.query('select value from meta where key = $1', [MOVE_KEY])
  refuseHalfMoved(rows[0]?.value)
}

async function checkSchema(client: pg.Client, migrations: readonly Migration[]): Promise<SchemaState> {
  const parts = await readParts(client)
  const tables = Object.keys(parts)
  if (tables.length === 0) return { version: 0, oldest: 0 }
  const meta = 'meta' in parts ? await readMeta(client) : new Map<string, string>()
  refuseDevelopment(meta)
  const steps = meta.get('schema_steps')
  if (steps === undefined)
    refuse(
      `the database holds tables that are not Portaria's (${tables.slice(0, 3).join(', ')}): create an empty database for Portaria, and name that one`,
    )
  const applied: string[] = JSON.parse(steps)
  const state = { version: applied.length, oldest: Number(meta.get('oldest_program')) }
  refuseNewer(state, migrations.length)
  const missing = await listMissing(client, JSON.parse(meta.get('schema_parts') ?? '{}'), parts)
  if (missing.length > 0)
    refuse(
      `the database is not whole, ${missing.slice(0, 3).join(', ')} is missing: restore it from a backup into an empty database`,
    )
  const known = migrations.slice(0, state.version).map(digestOf)
  if (known.some((digest, at) => digest !== applied[at]))
    refuse('another build of Portaria made the schema of the database: run that one, or create an empty database')
  return state
}

/** Of any program. */
async function readMeta(client: pg.Client): Promise<ReadonlyMap<string, string>> {
  const { rows } = await client.query('select * from meta')
  return new Map(rows.map(({ key, value }) => [key, value]))
}

/** Before the first release `meta` had the number of the schema. */
function refuseDevelopment(meta: ReadonlyMap<string, string>): void {
  const version = meta.get('schema_version')
  if (version === undefined) return
  refuse(
    `the database has schema ${version} of a development version of Portaria, from before its first release, and was not changed: run that version to read it, or create an empty database`,
  )
}

function refuseNewer({ version, oldest }: SchemaState, known: number): void {
  if (oldest <= known) return
  throw new PortariaError(
    'store_newer',
    `the database has schema ${version}, but this Portaria knows only up to ${known}: run the newer Portaria that wrote it, or restore a backup from before the upgrade`,
  )
}

/** Nothing was changed yet. */
async function refuseOlderNodes(client: pg.Client, version: number): Promise<void> {
  const nodes = await listOtherWriters(client)
  if (nodes.length > 0)
    refuse(
      `the nodes that run now (${nodes.join(', ')}) cannot work with schema ${version}: stop them, then start this one`,
    )
}

/** A statement that needs a table for itself would wait for one of them, while that one waits for another table. */
async function holdWriters(client: pg.Client): Promise<void> {
  await client.query('select from head for update')
}

async function keepMeta(client: pg.Client, values: Readonly<Record<string, string | number>>): Promise<void> {
  for (const [key, value] of Object.entries(values))
    await client.query(
      'insert into meta (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value',
      [key, String(value)],
    )
}

function digestOf({ sql }: Migration): string {
  return createHash('sha256').update(sql).digest('hex')
}

function refuse(words: string): never {
  throw new PortariaError('store_unavailable', words)
}
