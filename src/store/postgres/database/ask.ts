import type { Query, Steps } from '../../sql/asked.ts'
import type { Dialect } from '../../sql/dialect.ts'
import type { Sql, Values } from './sql.ts'

const list = (parameter: string, type: string) =>
  `(select * from unnest(${parameter}::${type}[]) with ordinality as list (value, place))`

const POSTGRES: Dialect = {
  time: (ms) => `at_ms(${ms})`,
  forUpdate: 'for update',
  byBytes: 'collate "C"',
  numbers: (parameter) => list(parameter, 'bigint'),
  texts: (parameter) => list(parameter, 'text'),
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
  return sql[want](text, values as Values)
}
