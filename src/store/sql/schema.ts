import { readFileSync } from 'node:fs'
import { programFile } from '../../platform/program-files.ts'

/** What both databases have: see there. */
export const TABLES_TEXT = readFileSync(programFile('src/store/sql/tables.sql'), 'utf8')

type Database = 'sqlite' | 'postgres'

/** A column of a table: name, type, and the rest of its line. */
export const COLUMN = /^ {2}(\w+) (text|bigint|integer|bytea|boolean|time|serial|counted)\b(.*)$/gm

/** The statements that make the tables in one of the databases. */
export function tablesFor(database: Database): string {
  const other = database === 'sqlite' ? 'postgres' : 'sqlite'
  const lines = TABLES_TEXT.split('\n').filter((line) => !line.endsWith(`-- ${other}`))
  const text = lines.map((line) => line.replace(` -- ${database}`, '')).join('\n')
  // The last column may be of the other database.
  const whole = text.replaceAll(/,\n\);/g, '\n);')
  return database === 'sqlite' ? forSqlite(whole) : forPostgres(whole)
}

const SQLITE_TYPES: Readonly<Record<string, string>> = { text: 'text', bytea: 'blob' }

function forSqlite(text: string): string {
  const typed = text.replaceAll(COLUMN, (_, name: string, type: string, rest: string) => {
    const isNumbered = type === 'serial' || type === 'counted'
    const end = rest.replace('default false', 'default 0')
    return `  ${name} ${SQLITE_TYPES[type] ?? 'integer'}${isNumbered ? end.replace('primary key', 'primary key autoincrement') : end}`
  })
  return typed.replaceAll(/create table [^;]*\n\)(?=;)/g, (table) =>
    /^ {2}primary key|text primary key/m.test(table) ? `${table} strict, without rowid` : `${table} strict`,
  )
}

/** Events are in no table of their own, and the number of a callback has another name. */
function forPostgres(text: string): string {
  const typed = text.replaceAll(COLUMN, (_, name: string, type: string, rest: string) => {
    if (type === 'serial')
      return `  ${name} bigint${rest.replace('primary key', 'primary key generated always as identity')}`
    if (type === 'time') return `  ${name} timestamptz${rest.replace('default 0', 'default to_timestamp(0)')}`
    return `  ${name} ${type === 'counted' ? 'bigint' : type}${rest}`
  })
  return typed
    .replaceAll(' references events (id)', '')
    .replaceAll('references callbacks (id)', 'references callbacks (callback_id)')
}
