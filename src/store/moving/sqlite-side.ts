import { hexOf } from '../../domain/event-hash.ts'
import { PortariaError } from '../../platform/errors.ts'
import { realFileOf } from '../../platform/real-file.ts'
import { MOVE_KEY } from '../rules/half-moved.ts'
import { readHead } from '../sqlite/audit/audit-points.ts'
import { FIRST_OPEN, summarizeCallbacks } from '../sqlite/blocks/callback-blocks.ts'
import { createEventBlocks } from '../sqlite/blocks/event-blocks.ts'
import { createSubjectWriter } from '../sqlite/blocks/subject-writer.ts'
import { checkForReading } from '../sqlite/database/check-for-reading.ts'
import { type Connection, openForReading, openForWriting } from '../sqlite/database/connection.ts'
import { checkDatabaseFile, refuseNetworkFileSystem } from '../sqlite/database/database-file.ts'
import { lastGiven } from '../sqlite/database/last-position.ts'
import { lockDatabase } from '../sqlite/database/lock.ts'
import { migrate, requireCurrentSchema } from '../sqlite/database/migrations.ts'
import { createDeduplication } from '../sqlite/deduplication/deduplication.ts'
import { verifyAuditChain } from '../sqlite/verification/verify-audit-chain.ts'
import type { Progress, Readable, Source, Target } from './sides.ts'
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

/** Rows that are read before others may run. */
const ROWS_AT_ONCE = 200

/**
 * Where the columns of a move are not those of a table. The first attempt of a delivery may be in its own row: its number follows those of the others.
 */
const SOURCES: Readonly<Record<string, string>> = {
  events: '(select e.*, b.source, b.body from events e left join event_bodies b on b.event_id = e.id)',
  destinations: '(select *, deliveries_through is not null as is_settled from destinations)',
  attempts: `(
    select id, delivery_id, attempt, started_at, duration_ms, status, error, answer from attempts
    union all
    select id + (select coalesce(max(id), 0) from attempts), id, 1, first_started_at, delivered_at - first_started_at, last_status, null, first_answer
    from deliveries where first_started_at is not null)`,
}

/** @throws PortariaError `store_missing`, `store_locked`, `store_newer`, `store_unavailable` */
export function openSqliteSource(named: string): Source {
  checkForReading(named)
  const unlock = lockDatabase(named, 0)
  try {
    const db = openForReading(realFileOf(named))
    requireCurrentSchema(db)
    return { ...readable(named, db, unlock), meta: async () => readMeta(db), numbers: async () => readNumbers(db) }
  } catch (error) {
    unlock()
    throw error
  }
}

function readable(name: string, db: Connection, unlock: () => void): Readable {
  const sourceOf = (table: MovedTable) => SOURCES[table.name] ?? table.name
  return {
    name,
    async count(table) {
      return (
        db
          .prepare<[], number>(`select count(*) from ${sourceOf(table)}`)
          .pluck()
          .get() ?? 0
      )
    },
    async *rows(table, after) {
      const key = table.key.join(', ')
      const where = after === null ? '' : `where (${key}) > (${after.map(() => '?').join(', ')})`
      const columns = table.columns.map(expressionOf).join(', ')
      const rows = db
        .prepare<unknown[], MovedRow>(`select ${columns} from ${sourceOf(table)} ${where} order by ${key}`)
        .raw()
        .iterate(...(after ?? []))
      let chunk: MovedRow[] = []
      for (const row of rows) {
        chunk.push(row)
        if (chunk.length < ROWS_AT_ONCE) continue
        yield chunk
        chunk = []
      }
      yield chunk
    },
    async close() {
      db.close()
      unlock()
    },
  }
}

function readMeta(db: Connection): Record<string, string> {
  const rows = db
    .prepare<[string], [string, string]>(
      'select key, value from meta where key in (select value from json_each(?)) order by key',
    )
    .raw()
    .all(JSON.stringify(MOVED_META))
  return Object.fromEntries(rows)
}

function readNumbers(db: Connection): MovedNumbers {
  const number = (sql: string) => db.prepare<[], number>(`select coalesce((${sql}), 0)`).pluck().get() ?? 0
  const { position, hash } = readHead(db)
  const sequences = SEQUENCED.map((name) => [name, number(`select seq from sqlite_sequence where name = '${name}'`)])
  return {
    position,
    hash: hexOf(hash),
    peer: number('select max(id) from peers'),
    callback: Math.max(number('select max(id) from callbacks'), number(FIRST_OPEN) - 1),
    delivery: number('select max(id) from deliveries'),
    token: number('select max(id) from notification_tokens'),
    sequences: Object.fromEntries(sequences) as Record<Sequenced, number>,
  }
}

/** A new database, or the one of a move that was broken off. @throws PortariaError `conflict`, `store_locked`, `store_unavailable` */
export function openSqliteTarget(named: string): Target {
  const file = realFileOf(named)
  refuseNetworkFileSystem(file)
  const unlock = lockDatabase(named, 0)
  try {
    checkDatabaseFile(file, null)
    const db = openForWriting(file)
    migrate(db)
    return targetOn(named, db, unlock)
  } catch (error) {
    unlock()
    throw error
  }
}

function markOf(db: Connection): Progress | null {
  const text = db.prepare<[string], string>('select value from meta where key = ?').pluck().get(MOVE_KEY)
  return text === undefined ? null : (JSON.parse(text) as Progress)
}

function isEmpty(db: Connection): boolean {
  return (
    lastGiven(db) === 0 && TABLES.every(({ name }) => db.prepare(`select 1 from ${name} limit 1`).get() === undefined)
  )
}

function targetOn(named: string, db: Connection, unlock: () => void): Target {
  const keep = db.prepare<[string, string]>(
    'insert into meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value',
  )
  const inserts = createInserts(db)
  const mark = (progress: Progress) => keep.run(MOVE_KEY, JSON.stringify(progress))
  const write = db.transaction((table: MovedTable, rows: readonly MovedRow[], progress: Progress) => {
    for (const row of rows) inserts(table, row)
    mark(progress)
  })
  return {
    ...readable(named, db, unlock),
    async progress() {
      const progress = markOf(db)
      if (progress !== null || isEmpty(db)) return progress
      throw new PortariaError('conflict', `${named} holds data already: name a file that is not there`)
    },
    async begin(progress) {
      mark(progress)
    },
    write: async (table, rows, progress) => write.immediate(table, rows, progress),
    async finish(meta, numbers) {
      db.transaction(() => {
        for (const [key, value] of Object.entries(meta)) keep.run(key, value)
        keepNumbers(db, numbers)
        summarizeCallbacks(db)
      }).immediate()
      // Each of them makes at its start what is missing.
      createEventBlocks(db, createSubjectWriter(db))
      createDeduplication(db, { window: { since: () => Number.MAX_SAFE_INTEGER, has: () => false } })
    },
    verifyChain: async (show) => verifyAuditChain(realFileOf(named), [], show),
    async complete() {
      db.prepare('delete from meta where key = ?').run(MOVE_KEY)
    },
  }
}

function createInserts(db: Connection): (table: MovedTable, row: MovedRow) => void {
  const statements = new Map<string, (row: MovedRow) => void>()
  return function insert(table, row) {
    let statement = statements.get(table.name)
    if (statement === undefined) {
      statement = prepareInsert(db, table)
      statements.set(table.name, statement)
    }
    statement(row)
  }
}

function prepareInsert(db: Connection, { name, columns }: MovedTable): (row: MovedRow) => void {
  if (name === 'events') return prepareEvents(db, columns.length)
  const names = columns.map((column) => (column.name === 'is_settled' ? 'deliveries_through' : column.name))
  const values = columns.map((column) => (column.name === 'is_settled' ? 'iif(?, 0, null)' : '?'))
  const statement = db.prepare<unknown[]>(`insert into ${name} (${names.join(', ')}) values (${values.join(', ')})`)
  return (row) => void statement.run(...row)
}

/** The body of its own, with its source, is in a table beside it. */
function prepareEvents(db: Connection, width: number): (row: MovedRow) => void {
  const columns = `id, nonce, callback_id, kind, environment, received_at, subject, status, part, parts, array_start, array_end, item_start, item_end,
    fact_hash, payload_hash, hash, duplicates, last_seen_at, payload_removed_at`
  const own = width - 2
  const event = db.prepare<unknown[]>(`insert into events (${columns}) values (${Array(own).fill('?').join(', ')})`)
  const body = db.prepare<unknown[]>('insert into event_bodies (event_id, source, body) values (?, ?, ?)')
  return (row) => {
    event.run(...row.slice(0, own))
    if (row[own] !== null) body.run(row[0] ?? null, row[own] ?? null, row[own + 1] ?? null)
  }
}

function keepNumbers(db: Connection, { position, sequences }: MovedNumbers): void {
  db.exec(`
    update destinations set deliveries_through = (select coalesce(max(id), 0) from deliveries) where deliveries_through is not null`)
  for (const [name, seq] of Object.entries({ ...sequences, events: position })) {
    db.prepare('delete from sqlite_sequence where name = ?').run(name)
    db.prepare('insert into sqlite_sequence (name, seq) values (?, ?)').run(name, seq)
  }
}
