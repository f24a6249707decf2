import type { Dialect } from './dialect.ts'
import { type Column, tableNamed } from './tables.ts'

/** The select list of a table: its columns under the names of the program. @param omitted names of columns */
export function selected(table: string, ...omitted: readonly string[]): string {
  const columns = without(table, omitted)
  return columns.map(({ name, property }) => (name === property ? name : `${name} as "${property}"`)).join(', ')
}

/** The text that inserts a row, whose parameters have the names of the program. */
export function insertInto(d: Dialect, table: string, ...omitted: readonly string[]): string {
  const columns = without(table, omitted)
  const values = columns.map(({ property, type }) => (type === 'time' ? d.time(`:${property}`) : `:${property}`))
  return `insert into ${table} (${namesOf(columns).join(', ')}) values (${values.join(', ')})`
}

/** What an update sets: each column to the parameter of its name. */
export function assigned(d: Dialect, table: string, ...omitted: readonly string[]): string {
  return without(table, omitted)
    .map(({ name, property, type }) => `${name} = ${type === 'time' ? d.time(`:${property}`) : `:${property}`}`)
    .join(', ')
}

/** The text that inserts the rows of the parameter `rows`, or replaces those with the same key. */
export function upsertInto(d: Dialect, table: string): string {
  const { columns, key } = tableNamed(table)
  const names = namesOf(columns)
  const set = names.filter((name) => !key.includes(name)).map((name) => `${name} = excluded.${name}`)
  return `insert into ${table} (${names.join(', ')}) select * from ${d.rows(':rows', columns)} as listed where true
    on conflict (${key.join(', ')}) do update set ${set.join(', ')}`
}

function without(table: string, omitted: readonly string[]): readonly Column[] {
  return tableNamed(table).columns.filter(({ name }) => !omitted.includes(name))
}

function namesOf(columns: readonly Column[]): string[] {
  return columns.map(({ name }) => name)
}
