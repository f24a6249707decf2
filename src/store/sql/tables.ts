import { COLUMN, TABLES_TEXT } from './schema.ts'

/** `time` is `timestamptz` in PostgreSQL, and ms since 1970 in SQLite, as in the program. */
export type ColumnType = 'bigint' | 'integer' | 'text' | 'bytea' | 'boolean' | 'time'

export interface Column {
  /** In the databases. */
  readonly name: string
  /** In the program. */
  readonly property: string
  readonly type: ColumnType
}

export interface Table {
  readonly columns: readonly Column[]
  /** Names of the columns of its primary key. */
  readonly key: readonly string[]
}

/** From `name:type` with spaces between. */
export function columnsOf(text: string): Column[] {
  return text.split(/\s+/).map((one) => {
    const [name = '', type = ''] = one.split(':')
    return columnOf(name, type)
  })
}

function columnOf(name: string, type: string): Column {
  const property = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return { name, property, type: type === 'serial' || type === 'counted' ? 'bigint' : (type as ColumnType) }
}

/** The tables of `tables.sql`, in its order: a row comes after those that it refers to. */
export const TABLES: ReadonlyMap<string, Table> = new Map(
  [...TABLES_TEXT.matchAll(/^create table (\w+) \(\n(.*?)\n\);/gms)].map(([, name = '', body = '']) => [
    name,
    tableOf(body),
  ]),
)

function tableOf(body: string): Table {
  const defined = [...body.matchAll(COLUMN)].filter(([, , , rest = '']) => !rest.endsWith('-- sqlite'))
  const columns = defined.map(([, name = '', type = '']) => columnOf(name, type))
  const [, key] = /^ {2}primary key \(([^)]+)\)/m.exec(body) ?? /^ {2}(\w+) .*primary key/m.exec(body) ?? []
  return { columns, key: key?.split(', ') ?? [] }
}

/** @throws Error for a table that `tables.sql` does not have */
export function tableNamed(name: string): Table {
  const table = TABLES.get(name)
  if (table === undefined) throw new Error(`tables.sql has no table ${name}`)
  return table
}
