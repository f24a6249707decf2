import type { Dialect } from './dialect.ts'

export type Value = string | number | boolean | null | Uint8Array | undefined | readonly Value[] | RowList
/** What `Dialect.rows` reads: each has a value of each column. */
export interface RowList {
  readonly rows: readonly object[]
}
export function isRowList(value: Value): value is RowList {
  return typeof value === 'object' && value !== null && 'rows' in value
}

export type Values = Readonly<Record<string, Value>>

/** One statement, and what is wanted of its answer. A parameter is `:name`. */
export interface Query {
  readonly want: 'all' | 'get' | 'run'
  readonly text: string
  readonly values: Values
}

/**
 * Statements, one after the other, and what they make of the answers. SQLite's driver runs them to their end at once, inside the transaction of its
 * caller; PostgreSQL's awaits each answer. Nothing but a query can be yielded, so nothing else can come between two statements.
 */
export type Asked<T> = Generator<Query, T, never>

/** As the drivers call it: their dialect comes before the arguments. */
export type Steps<A extends readonly unknown[], R> = (dialect: Dialect, ...args: A) => Asked<R>

export function* all<Row>(text: string, values: Values = {}): Asked<Row[]> {
  return yield { want: 'all', text, values }
}

/** The first row; undefined: none. */
export function* get<Row>(text: string, values: Values = {}): Asked<Row | undefined> {
  return yield { want: 'get', text, values }
}

/** The row that a statement with `returning` certainly writes, or a count. */
export function* one<Row>(text: string, values: Values = {}): Asked<Row> {
  const row = yield* get<Row>(text, values)
  if (row === undefined) throw new Error('a statement that always has a row had none')
  return row
}

/** Returns how many rows it changed. */
export function* run(text: string, values: Values = {}): Asked<number> {
  return yield { want: 'run', text, values }
}
