import type pg from 'pg'
import { hexOf } from '../../domain/event-hash.ts'
import { PortariaError } from '../../platform/errors.ts'
import { nameOfDatabase, type PostgresAddress } from '../../platform/postgres/postgres-address.ts'
import { applicationName, listOtherWriters } from '../postgres/database/application-name.ts'
import { connect, endClient } from '../postgres/database/connecting.ts'
import { unavailable } from '../postgres/database/failures.ts'
import { readHead } from '../postgres/database/head.ts'
import { keepMeta, readMeta } from '../postgres/database/meta.ts'
import { createReaders } from '../postgres/database/readers.ts'
import { migrate, requireSchema } from '../postgres/database/schema.ts'
import { refuseServer } from '../postgres/database/server-check.ts'
import { type Sql, sqlOn, type Value } from '../postgres/database/sql.ts'
import { makeBlocks } from '../postgres/events/event-blocks.ts'
import { verifyAuditChain } from '../postgres/verification/verify-chain.ts'
import { MOVE_KEY, refuseHalfMoved } from '../rules/half-moved.ts'
import type { Column } from '../sql/tables.ts'
import type { Progress, Source, Target } from './sides.ts'
import {
  expressionOf,
  MOVED_META,
  type MovedNumbers,
  type MovedRow,
  type MovedTable,
  SEQUENCED,
  type Sequenced,
  TABLES,
} from './tables.ts'

/** Rows that are read at once; of tables with bodies fewer, because a body may have a megabyte. */
const ROWS_AT_ONCE = 1000
const BODIES_AT_ONCE = 50

/** A table may take long, and between two rows of it the other database works. */
const BEGIN =
  "begin isolation level repeatable read; set local time zone 'UTC'; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0"

function connectTo(address: PostgresAddress, begin: (client: pg.Client) => Promise<void>): Promise<pg.Client> {
  return connect(address, {
    applicationName: applicationName(undefined, 'command'),
    limitMs: null,
    async begin(client) {
      await refuseServer(client, true)
      await begin(client)
      await refuseNodes(client)
    },
  })
}

/** A node that ended without a farewell counts as living for this time. */
const LIVING = '15 seconds'

async function refuseNodes(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select name from nodes where seen_at > now() - interval '${LIVING}' order by name`,
  )
  const nodes = new Set([...(await listOtherWriters(client)), ...rows.map(({ name }) => String(name))])
  if (nodes.size === 0) return
  throw new PortariaError('store_locked', `the database is in use by ${[...nodes].join(', ')}: stop its nodes first`)
}

/** All reads see the state of its beginning, and a node that starts meanwhile fails. @throws PortariaError `store_locked`, `store_missing`, `store_newer`, `store_unavailable` */
export async function openPostgresSource(address: PostgresAddress): Promise<Source> {
  const client = await connectTo(address, requireSchema)
  const sql = sqlOn(client)
  try {
    await client.query(BEGIN)
    await sql.get('select * from head for update')
    refuseHalfMoved(await readMeta(sql, MOVE_KEY))
  } catch (error) {
    await endClient(client)
    throw unavailable(error)
  }
  return {
    name: nameOfDatabase(address),
    count: (table) => countOf(sql, table),
    rows: (table, after) => rowsOf(sql, table, after),
    meta: () => movedMeta(sql),
    numbers: () => numbersOf(sql),
    close: () => endClient(client),
  }
}

async function countOf(sql: Sql, { name }: MovedTable): Promise<number> {
  return (await sql.get<{ n: number }>(`select count(*) as n from ${name}`))?.n ?? 0
}

/** Where the columns of a move are not those of a table. A callback and its event may be one row of both tables, with one body. */
const EXPRESSIONS: Readonly<Record<string, string>> = {
  'callbacks.id': 'callback_id',
  'events.body': "case when source = 'resolved' then body end",
}

function selected({ name }: MovedTable, column: Column): string {
  const expression = EXPRESSIONS[`${name}.${column.name}`]
  return expression === undefined ? expressionOf(column) : `${expression} as ${column.name}`
}

function nameIn({ name }: MovedTable, column: string): string {
  return name === 'callbacks' && column === 'id' ? 'callback_id' : column
}

/** In a transaction. */
async function* rowsOf(
  sql: Sql,
  table: MovedTable,
  after: readonly Value[] | null,
): AsyncGenerator<readonly MovedRow[]> {
  const { name, columns } = table
  const names = table.key.map((column) => nameIn(table, column))
  const key = names.map((column) => (isText(table, column) ? `${column} collate "C"` : column)).join(', ')
  const where = after === null ? '' : `where (${key}) > (${after.map((_, at) => `:k${at}`).join(', ')})`
  const values = Object.fromEntries((after ?? []).map((value, at) => [`k${at}`, value]))
  await sql.run(
    `declare moved no scroll cursor for select ${columns.map((column) => selected(table, column)).join(', ')} from ${name} ${where} order by ${key}`,
    values,
  )
  const atOnce = columns.some((column) => column.name === 'body') ? BODIES_AT_ONCE : ROWS_AT_ONCE
  for (;;) {
    const rows = await sql.all<Record<string, MovedRow[number] | boolean>>(`fetch forward ${atOnce} from moved`)
    yield rows.map((row) => columns.map((column) => canonical(row[column.name] ?? null)))
    if (rows.length < atOnce) break
  }
  await sql.run('close moved')
}

function isText({ columns }: MovedTable, name: string): boolean {
  return columns.find((column) => column.name === name)?.type === 'text'
}

function canonical(value: MovedRow[number] | boolean): MovedRow[number] {
  return typeof value === 'boolean' ? Number(value) : value
}

async function movedMeta(sql: Sql): Promise<Record<string, string>> {
  const rows = await sql.all<{ key: string; value: string }>(
    'select key, value from meta where key = any(:keys::text[]) order by key collate "C"',
    { keys: MOVED_META },
  )
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]))
}

/** Numbers of these tables are given by the head. */
const OF_HEAD: Partial<Record<Sequenced, 'quarantined' | 'action'>> = { quarantine: 'quarantined', actions: 'action' }

async function numbersOf(sql: Sql): Promise<MovedNumbers> {
  const { position, hash, peer, callback, delivery, token, ...head } = await readHead(sql)
  const sequences: Partial<Record<Sequenced, number>> = {}
  for (const name of SEQUENCED) {
    const ofHead = OF_HEAD[name]
    sequences[name] = ofHead === undefined ? await lastOf(sql, name) : head[ofHead]
  }
  return {
    position,
    hash: hexOf(hash),
    peer,
    callback,
    delivery,
    token,
    sequences: sequences as Record<Sequenced, number>,
  }
}

async function lastOf(sql: Sql, table: string): Promise<number> {
  const row = await sql.get<{ last: number }>(
    `select coalesce(pg_sequence_last_value(pg_get_serial_sequence('${table}', 'id')::regclass), 0) as last`,
  )
  return row?.last ?? 0
}

/** An empty database, or the one of a move that was broken off. @throws PortariaError `conflict`, `store_locked`, `store_newer`, `store_unavailable` */
export async function openPostgresTarget(address: PostgresAddress): Promise<Target> {
  const client = await connectTo(address, (connected) => migrate(connected))
  const sql = sqlOn(client)
  const name = nameOfDatabase(address)
  /** As it is in the database: each transaction replaces it. */
  let mark: string | undefined

  async function transact<T>(perform: () => Promise<T>): Promise<T> {
    try {
      await client.query(BEGIN)
      const result = await perform()
      await client.query('commit')
      return result
    } catch (error) {
      await client.query('rollback').catch(() => undefined)
      throw unavailable(error)
    }
  }

  async function keepMark(progress: Progress): Promise<void> {
    const next = JSON.stringify(progress)
    const changed = await sql.run('update meta set value = :next where key = :key and value = :mark', {
      key: MOVE_KEY,
      next,
      mark: mark ?? null,
    })
    if (changed === 0) throw new PortariaError('conflict', `another move writes to ${name}`)
    mark = next
  }

  async function* rows(table: MovedTable, after: readonly Value[] | null) {
    await client.query(BEGIN)
    yield* rowsOf(sql, table, after)
    await client.query('commit')
  }

  return {
    name,
    count: (table) => countOf(sql, table),
    rows,
    async progress() {
      mark = await readMeta(sql, MOVE_KEY)
      if (mark !== undefined) return JSON.parse(mark) as Progress
      if (await isEmpty(sql)) return null
      throw new PortariaError('conflict', `${name} holds data already: name an empty database`)
    },
    async begin(progress) {
      mark = JSON.stringify(progress)
      const row = { key: MOVE_KEY, value: mark }
      const made = await sql.run('insert into meta (key, value) values (:key, :value) on conflict do nothing', row)
      if (made === 0) throw new PortariaError('conflict', `another move writes to ${name}`)
      // A node that started before the mark was there.
      await refuseNodes(client)
    },
    write: (table, moved, progress) =>
      transact(async () => {
        await insert(sql, table, moved)
        await keepMark(progress)
      }),
    finish: (meta, numbers) =>
      transact(async () => {
        for (const [key, value] of Object.entries(meta)) await keepMeta(sql, key, value)
        await keepNumbers(sql, numbers)
        await makeBlocks(sql)
      }),
    async verifyChain(show) {
      const readers = createReaders(address, applicationName(undefined, 'command'))
      return verifyAuditChain(readers, [], show).finally(readers.end)
    },
    async complete() {
      // The planner knows nothing of the rows yet.
      await client.query('analyze')
      await sql.run('delete from meta where key = :key', { key: MOVE_KEY })
    },
    close: () => endClient(client),
  }
}

async function isEmpty(sql: Sql): Promise<boolean> {
  const { position } = await readHead(sql)
  const filled = TABLES.map(({ name }) => `exists (select from ${name})`).join(' or ')
  return position === 0 && (await sql.get<{ filled: boolean }>(`select ${filled} as filled`))?.filled === false
}

async function insert(sql: Sql, table: MovedTable, rows: readonly MovedRow[]): Promise<void> {
  const { name, columns } = table
  const names = columns.map((column) => column.name).join(', ')
  const inTable = columns.map((column) => nameIn(table, column.name)).join(', ')
  const lists = columns.map((column, at) => `:c${at}::${typeOf(column)}[]`).join(', ')
  const selected = columns.map((column) => (column.type === 'time' ? `at_ms(${column.name})` : column.name)).join(', ')
  await sql.run(
    `insert into ${name} (${inTable}) overriding system value select ${selected} from unnest(${lists}) as r (${names})`,
    Object.fromEntries(
      columns.map((column, at) => [`c${at}`, rows.map((row) => parameterOf(column, row[at] ?? null))]),
    ),
  )
}

function typeOf({ type }: Column): string {
  return type === 'time' ? 'bigint' : type
}

function parameterOf({ type }: Column, value: MovedRow[number]): Value {
  return type === 'boolean' && value !== null ? value === 1 : value
}

async function keepNumbers(sql: Sql, { hash, sequences, ...numbers }: MovedNumbers): Promise<void> {
  const { quarantine: quarantined, actions: action } = sequences
  await sql.run(
    `update head set position = :position, hash = :hash, peer = :peer, callback = :callback, delivery = :delivery, quarantined = :quarantined, token = :token,
      action = :action`,
    { ...numbers, hash: Buffer.from(hash, 'hex'), quarantined, action },
  )
  for (const name of SEQUENCED) if (OF_HEAD[name] === undefined) await keepSequence(sql, name, sequences[name])
  const attempts = await sql.get<{ last: number }>('select coalesce(max(id), 0) as last from attempts')
  await keepSequence(sql, 'attempts', attempts?.last ?? 0)
}

async function keepSequence(sql: Sql, table: string, last: number): Promise<void> {
  if (last > 0) await sql.run(`select setval(pg_get_serial_sequence('${table}', 'id'), :last)`, { last })
}
