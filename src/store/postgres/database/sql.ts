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
  const made = { text: numbered, names }
  statements.set(text, made)
  return made
}

function parameterOf(value: Value): unknown {
  if (typeof value === 'string') return hideNul(value)
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  if (Array.isArray(value)) return value.map(parameterOf)
  return value
}

export function sqlOn(client: pg.ClientBase): Sql {
  function query(text: string, values: Values) {
    const { text: numbered, names } = statementOf(text)
    return client.query({ text: numbered, values: names.map((name) => parameterOf(values[name])), types: TYPES })
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
}

/** Inserts any number of rows of several tables by one statement, because each is a round trip. */
export async function insertAll(sql: Sql, inserts: readonly Insert[]): Promise<void> {
  const filled = inserts.filter(({ rows }) => rows.length > 0)
  if (filled.length === 0) return
  const parts = filled.map(({ table, columns }, at) => {
    const names = columns.map(({ name }) => name).join(', ')
    const selected = columns.map(({ name, type }) => (type === 'time' ? `at_ms(${name})` : name))
    return `${table}_rows as (insert into ${table} (${names}) select ${selected.join(', ')} from ${listOf(columns, at)} as r (${names}))`
  })
  const values = filled.map(({ columns, rows }, at) => valuesOf(columns, rows, at))
  await sql.run(`with ${parts.join(', ')} select`, Object.assign({}, ...values))
}

export function insertRows(sql: Sql, table: string, columns: Insert['columns'], rows: Insert['rows']): Promise<void> {
  return insertAll(sql, [{ table, columns, rows }])
}

/** Inserts any number of rows, or replaces those with the same key. @param key names of its columns */
export async function upsertRows(sql: Sql, { table, columns, rows }: Insert, key: readonly string[]): Promise<void> {
  if (rows.length === 0) return
  const names = columns.map(({ name }) => name)
  const selected = columns.map(({ name, type }) => (type === 'time' ? `at_ms(${name})` : name))
  const set = names.filter((name) => !key.includes(name)).map((name) => `${name} = excluded.${name}`)
  await sql.run(
    `insert into ${table} (${names}) select ${selected} from ${listOf(columns)} as r (${names})
    on conflict (${key}) do update set ${set}`,
    valuesOf(columns, rows),
  )
}

/** Updates any number of rows of a table with the alias `d`, whose `id` is the first column. @param update that refers to the columns of `r` */
export async function updateRows(
  sql: Sql,
  update: string,
  columns: readonly Column[],
  rows: readonly (readonly Value[])[],
): Promise<void> {
  if (rows.length === 0) return
  const names = columns.map(({ name }) => name).join(', ')
  await sql.run(`${update} from ${listOf(columns)} as r (${names}) where d.id = r.id`, valuesOf(columns, rows))
}

function listOf(columns: readonly Column[], of = 0): string {
  return `unnest(${columns.map(({ type }, at) => `:c${of}_${at}::${type === 'time' ? 'bigint' : type}[]`).join(', ')})`
}

function valuesOf(columns: readonly Column[], rows: Insert['rows'], of = 0): Values {
  return Object.fromEntries(columns.map((_, at) => [`c${of}_${at}`, rows.map((row) => row[at])]))
}
