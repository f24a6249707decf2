import pg from 'pg'
import { hideNul, showNul } from './texts.ts'

export type Value = string | number | boolean | null | Uint8Array | undefined | readonly Value[]
export type Values = Readonly<Record<string, Value>>

/** Statements on one connection. A parameter is `:name`, as in the SQLite store. */
export interface Sql {
  all<Row>(text: string, values?: Values): Promise<Row[]>
  /** The first row; undefined: none. */
  get<Row>(text: string, values?: Values): Promise<Row | undefined>
  /** Returns how many rows it changed. */
  run(text: string, values?: Values): Promise<number>
}

/** Statements of a transaction that writes. */
export interface WriterSql extends Sql {
  /** Waits for no answer, because that is a round trip: if the statement fails, so does the transaction. Prepared, as `often`. */
  send(text: string, values?: Values): void
  /** As `all`, of a text that comes often: PostgreSQL keeps its plan, which takes as long as the statement. */
  often<Row>(text: string, values?: Values): Promise<Row[]>
}

const { builtins } = pg.types

/** Times are milliseconds since 1970, as everywhere: SQL turns a parameter into a time by `at_ms(…)`. */
function timeOf(text: string): number {
  const seconds = text.indexOf('.')
  const zone = text.indexOf('+', 10)
  const fraction = seconds === -1 ? '' : text.slice(seconds, Math.min(zone, seconds + 4))
  return Date.parse(`${text.slice(0, 10)}T${text.slice(11, 19)}${fraction}Z`)
}

const PARSERS = new Map<number, (text: string) => unknown>([
  [builtins.INT8, Number],
  [builtins.NUMERIC, Number],
  [builtins.TEXT, showNul],
  [builtins.TIMESTAMPTZ, timeOf],
])

/** How answers are read on every connection of a store. */
export const TYPES = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    (format === 'binary' ? undefined : PARSERS.get(oid)) ?? pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig

interface Statement {
  readonly text: string
  readonly names: readonly string[]
  /** Of the prepared statement. */
  readonly name: string
}

/** Of the texts of this program, and of those that a filter makes: some hundreds. */
const statements = new Map<string, Statement>()

function statementOf(text: string): Statement {
  const known = statements.get(text)
  if (known !== undefined) return known
  const names: string[] = []
  const numbered = text.replaceAll(/(?<!:):([A-Za-z]\w*)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  const made = { text: numbered, names, name: `s${statements.size}` }
  statements.set(text, made)
  return made
}

function parameterOf(value: Value): unknown {
  if (typeof value === 'string') return hideNul(value)
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  if (Array.isArray(value)) return value.map(parameterOf)
  return value
}

/** @param isPrepared whether the server keeps the statements */
export function sqlOn(client: pg.ClientBase, isPrepared = false): Sql {
  function query(text: string, values: Values) {
    const { text: numbered, names, name } = statementOf(text)
    const parameters = names.map((one) => parameterOf(values[one]))
    return client.query({ text: numbered, values: parameters, types: TYPES, ...(isPrepared && { name }) })
  }
  return {
    async all<Row>(text: string, values: Values = {}) {
      return (await query(text, values)).rows as Row[]
    },
    async get<Row>(text: string, values: Values = {}) {
      return (await query(text, values)).rows[0] as Row | undefined
    },
    async run(text, values = {}) {
      return (await query(text, values)).rowCount ?? 0
    },
  }
}

export interface Column {
  readonly name: string
  /** Of PostgreSQL; `time`: milliseconds that are stored as `timestamptz`. */
  readonly type: 'bigint' | 'integer' | 'text' | 'bytea' | 'boolean' | 'time'
}

/** From `name:type` with spaces between. */
export function columnsOf(text: string): Column[] {
  return text.split(' ').map((one) => {
    const [name = '', type = ''] = one.split(':')
    return { name, type: type as Column['type'] }
  })
}

export interface Insert {
  readonly table: string
  readonly columns: readonly Column[]
  /** The values of a row are in the order of the columns. */
  readonly rows: readonly (readonly Value[])[]
  /** What is done with a row whose key is there already, as SQL. Default: it is an error. */
  readonly conflict?: string
}

/** Inserts any number of rows of several tables by one statement. */
export function insertAll(sql: WriterSql, inserts: readonly Insert[]): void {
  const filled = inserts.filter(({ rows }) => rows.length > 0)
  if (filled.length === 0) return
  const parts = filled.map(({ table, columns, conflict = '' }, at) => {
    const names = columns.map(({ name }) => name).join(', ')
    const selected = columns.map(({ name, type }) => (type === 'time' ? `at_ms(${name})` : name))
    return `${table}_rows as (insert into ${table} (${names}) select ${selected.join(', ')} from ${listOf(columns, at)} as r (${names}) ${conflict})`
  })
  const values = filled.map(({ columns, rows }, at) => valuesOf(columns, rows, at))
  sql.send(`with ${parts.join(', ')} select`, Object.assign({}, ...values))
}

export function insertRows(sql: WriterSql, table: string, columns: Insert['columns'], rows: Insert['rows']): void {
  insertAll(sql, [{ table, columns, rows }])
}

/** Updates any number of rows of a table with the alias `d`, whose `id` is the first column. @param update that refers to the columns of `r` */
export function updateRows(
  sql: WriterSql,
  update: string,
  columns: readonly Column[],
  rows: readonly (readonly Value[])[],
): void {
  if (rows.length === 0) return
  const names = columns.map(({ name }) => name).join(', ')
  sql.send(`${update} from ${listOf(columns)} as r (${names}) where d.id = r.id`, valuesOf(columns, rows))
}

function listOf(columns: readonly Column[], of = 0): string {
  return `unnest(${columns.map(({ type }, at) => `:c${of}_${at}::${type === 'time' ? 'bigint' : type}[]`).join(', ')})`
}

function valuesOf(columns: readonly Column[], rows: Insert['rows'], of = 0): Values {
  return Object.fromEntries(columns.map(({ type }, at) => [`c${of}_${at}`, arrayOf(type, rows, at)]))
}

const OIDS: Readonly<Record<Column['type'], number>> = {
  text: builtins.TEXT,
  bytea: builtins.BYTEA,
  boolean: builtins.BOOL,
  integer: builtins.INT4,
  bigint: builtins.INT8,
  time: builtins.INT8,
}
/** UTF-8 of one UTF-16 code unit. */
const MOST_BYTES_OF_UNIT = 3

/** A column as an array in PostgreSQL's binary format (`array_recv`): to read the text of one takes as long as to store the rows. */
function arrayOf(type: Column['type'], rows: Insert['rows'], at: number): Buffer {
  const values = rows.map((row) => (type === 'text' ? textOf(row[at]) : row[at]))
  const most = values.reduce<number>((sum, value) => sum + mostBytes(value), 20 + 4 * values.length)
  const array = Buffer.allocUnsafe(most)
  let end = 0
  for (const number of [1, 1, OIDS[type], values.length, 1]) end = array.writeInt32BE(number, end)
  for (const value of values) {
    const from = end + 4
    if (value !== null && value !== undefined) end = write(array, type, value, from)
    else end = from
    array.writeInt32BE(value === null || value === undefined ? -1 : end - from, from - 4)
  }
  return array.subarray(0, end)
}

function textOf(value: Value): Value {
  return value === null || value === undefined ? null : hideNul(String(value))
}

function mostBytes(value: Value): number {
  if (typeof value === 'string') return value.length * MOST_BYTES_OF_UNIT
  return value instanceof Uint8Array ? value.length : 8
}

/** @returns where it ends */
function write(array: Buffer, type: Column['type'], value: Value, at: number): number {
  if (typeof value === 'string') return at + array.write(value, at)
  if (value instanceof Uint8Array) {
    array.set(value, at)
    return at + value.length
  }
  const number = Number(value)
  if (type === 'boolean') return array.writeUInt8(number, at)
  const low = type === 'integer' ? at : array.writeInt32BE(Math.floor(number / 2 ** 32), at)
  return array.writeUInt32BE(number >>> 0, low)
}
