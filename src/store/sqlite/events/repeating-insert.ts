/**
 * Inserts of rows that share most of their values with earlier rows, such as the caller and the route of a callback. Binding a value costs as much as
 * storing it, so values that repeat become part of the text of a statement of their own.
 *
 * Values are received from outside. One enters a text only in the form that SQLite's `quote` gives it, and only after SQLite has read this form back as
 * the same value. Values for which that fails, such as a text with a NUL or half a surrogate pair, are always bound.
 */

import type { Connection } from '../database/connection.ts'

type Value = string | number | null

/** The insert of rows with these values of the columns `repeated`. */
export type FindInsert = (repeated: readonly Value[]) => Insert

interface Insert {
  /** @param own the values of the columns `own` */
  run(...own: unknown[]): unknown
}

export interface RepeatingColumns {
  readonly table: string
  /** Those that differ most often first, because values are compared in this order. */
  readonly repeated: readonly string[]
  readonly own: readonly string[]
}

/** Rows with the same values before they get a statement, which costs as much as some 20 rows save. */
const WORTH_A_STATEMENT = 64
/** The values that were used last. */
const REMEMBERED = 32
/** Of the quoted values of a row. */
const LONGEST_TEXT = 4096

interface Remembered {
  readonly values: readonly Value[]
  rows: number
  insert: Insert
}

export function prepareRepeatingInsert(db: Connection, { table, repeated, own }: RepeatingColumns): FindInsert {
  const into = `insert into ${table} (${[...own, ...repeated].join(', ')})`
  const bound = db.prepare<unknown[]>(`${into} values (${placesOf([...own, ...repeated])})`)
  const quote = db.prepare<Value[], string[]>(`select ${repeated.map(() => 'quote(?)').join(', ')}`).raw()
  /** The latest first. */
  const remembered: Remembered[] = []

  function remember(values: readonly Value[]): Remembered {
    const at = remembered.findIndex((one) => isSame(one.values, values))
    const found = at < 0 ? undefined : remembered.splice(at, 1)[0]
    const latest = found ?? { values, rows: 0, insert: { run: (...row) => bound.run(...row, ...values) } }
    remembered.unshift(latest)
    if (remembered.length > REMEMBERED) remembered.pop()
    return latest
  }

  /** null: only bound values are stored as they are. */
  function prepareQuoted(values: readonly Value[]): Insert | null {
    const quoted = (quote.get(...values) as string[]).join(', ')
    if (quoted.length > LONGEST_TEXT) return null
    const readBack = db.prepare<[], Value[]>(`select ${quoted}`).raw().get() as Value[]
    if (!isSame(readBack, values)) return null
    return db.prepare<unknown[]>(`${into} values (${placesOf(own)}, ${quoted})`)
  }

  return function findInsert(values) {
    const latest = remembered[0]
    const one = latest !== undefined && isSame(latest.values, values) ? latest : remember(values)
    if (++one.rows === WORTH_A_STATEMENT) one.insert = prepareQuoted(values) ?? one.insert
    return one.insert
  }
}

function placesOf(columns: readonly string[]): string {
  return columns.map(() => '?').join(', ')
}

function isSame(one: readonly Value[], other: readonly Value[]): boolean {
  if (one.length !== other.length) return false
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false
  return true
}
