import { isRowList, type Query, type Steps, type Value } from '../../sql/asked.ts'
import type { Dialect } from '../../sql/dialect.ts'
import type { Connection } from './connection.ts'
import { LAST_GIVEN } from './last-position.ts'
import { oncePerConnection, rememberStatements } from './prepared.ts'

const list = (parameter: string) => `(select value, key as place from json_each(${parameter}))`

const SQLITE: Dialect = {
  time: (ms) => ms,
  forUpdate: '',
  byBytes: '',
  numbers: list,
  texts: list,
  rows: (parameter, columns) => {
    const values = columns.map(({ name, property }) => `value ->> '${property}' as ${name}`)
    return `(select ${values.join(', ')} from json_each(${parameter}))`
  },
  using: (index) => `indexed by ${index}`,
  isFalse: (column) => `${column} = 0`,
  before: (column, ms) => `${column} - ${ms}`,
  callbackId: 'id',
  day: (column) => `strftime('%Y-%m-%d', ${column} / 1000.0, 'unixepoch')`,
  msBetween: (from, to) => `(${to} - ${from})`,
  joinInOrder: 'cross join',
  behindNewDestination:
    'update destinations set deliveries_after = (select coalesce(max(id), 0) from deliveries) where id = :id',
  unsettled: 'deliveries_through = null',
  isUnsettled: 'deliveries_through is null',
  lastPosition: LAST_GIVEN,
}

const prepare = rememberStatements(64)

/** Performs statements of both databases, at once: those of the writer inside its transaction. */
export function ask<A extends readonly unknown[], R>(db: Connection, steps: Steps<A, R>, ...args: A): R {
  const asked = steps(SQLITE, ...args)
  let next = asked.next()
  while (next.done !== true) next = asked.next(perform(db, next.value) as never)
  return next.value
}

function perform(db: Connection, { want, text, values }: Query): unknown {
  const statement = prepare<object, unknown>(db, text)
  const bound: Record<string, unknown> = {}
  for (const name in values) bound[name] = boundOf(values[name])
  return want === 'run' ? statement.run(bound).changes : statement[want](bound)
}

function boundOf(value: Value): unknown {
  if (typeof value === 'boolean') return Number(value)
  if (isRowList(value)) return JSON.stringify(value.rows, wellFormed)
  return Array.isArray(value) ? JSON.stringify(value, wellFormed) : (value ?? null)
}

/** The same of one state of the database. */
export function askInOneState<A extends readonly unknown[], R>(db: Connection, steps: Steps<A, R>, ...args: A): R {
  return transactionOf(db)(() => ask(db, steps, ...args)) as R
}

const transactionOf = oncePerConnection((db) => db.transaction((perform: () => unknown) => perform()))

/** As a text that is bound alone. */
function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value
}
