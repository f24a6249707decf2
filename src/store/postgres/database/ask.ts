import { isRowList, type Query, type RowList, type Steps } from '../../sql/asked.ts'
import type { Dialect } from '../../sql/dialect.ts'
import type { Sql, Values } from './sql.ts'
import { hideNul } from './texts.ts'

const list = (parameter: string, type: string) =>
  `(select * from unnest(${parameter}::${type}[]) with ordinality as list (value, place))`

const POSTGRES: Dialect = {
  time: (ms) => `at_ms(${ms})`,
  forUpdate: 'for update',
  byBytes: 'collate "C"',
  numbers: (parameter) => list(parameter, 'bigint'),
  texts: (parameter) => list(parameter, 'text'),
  rows: (parameter, columns) => {
    const values = columns.map(({ name, property, type }) =>
      type === 'time' ? `at_ms("${property}") as ${name}` : `"${property}" as ${name}`,
    )
    const listed = columns.map(({ property, type }) => `"${property}" ${type === 'time' ? 'bigint' : type}`)
    return `(select ${values.join(', ')} from json_to_recordset(${parameter}::json) as list (${listed.join(', ')}))`
  },
  using: () => '',
  isFalse: (column) => `not ${column}`,
  before: (column, ms) => `${column} - ${ms} * interval '1 ms'`,
  callbackId: 'callback_id',
  day: (column) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD')`,
  msBetween: (from, to) => `(extract(epoch from ${to} - ${from}) * 1000)`,
  joinInOrder: 'join',
  behindNewDestination: null,
  unsettled: 'is_settled = false',
  isUnsettled: 'not is_settled',
  lastPosition: '(select position from head)',
}

/** Performs statements of both databases, and awaits the answer of each. */
export async function ask<A extends readonly unknown[], R>(sql: Sql, steps: Steps<A, R>, ...args: A): Promise<R> {
  const asked = steps(POSTGRES, ...args)
  let next = asked.next()
  while (next.done !== true) next = asked.next((await perform(sql, next.value)) as never)
  return next.value
}

function perform(sql: Sql, { want, text, values }: Query): Promise<unknown> {
  const bound = Object.entries(values).map(([name, value]) => [name, isRowList(value) ? rowsText(value) : value])
  return sql[want](text, Object.fromEntries(bound) as Values)
}

function rowsText({ rows }: RowList): string {
  return JSON.stringify(rows, (_key, value) => (typeof value === 'string' ? hideNul(value.toWellFormed()) : value))
}
