import type { ActionRow } from '../../rows/action-row.ts'
import { readActionAnchor } from '../../sql/actions.ts'
import { startActionCheck } from '../../verification/action-check.ts'
import { breachText } from '../../verification/invariants.ts'
import type { Verification, VerifyStep } from '../../verification/verification.ts'
import { ask } from '../database/ask.ts'
import type { Database } from '../database/database.ts'
import { readHead } from '../database/head.ts'
import type { Sql } from '../database/sql.ts'
import { INVARIANTS } from './invariants.ts'

const STEPS = INVARIANTS.length + 2

/**
 * Checks the references and every invariant of the data, beside running gateways. Pages and indexes are the business of PostgreSQL (`amcheck`, data
 * checksums).
 * @throws PortariaError `store_unavailable`
 */
export async function verifyDatabase(
  database: Pick<Database, 'read'>,
  show: (step: VerifyStep) => void,
): Promise<Verification> {
  show({ done: 0, of: STEPS, words: 'references' })
  const problems = await database.read(brokenReferences)
  for (const [index, invariant] of INVARIANTS.entries()) {
    show({ done: index + 1, of: STEPS, words: `rule ${index + 1} of ${INVARIANTS.length}: no ${invariant.violation}` })
    const ids = await database.read((sql) => sql.all<{ id: number }>(invariant.sql))
    const breach = breachText(
      invariant,
      ids.map(({ id }) => id),
    )
    if (breach !== null) problems.push(breach)
  }
  show({ done: STEPS - 1, of: STEPS, words: 'the log of actions' })
  problems.push(...(await database.read(actionFaults)))
  return { problems, counts: await database.read(countsOf), isCurrent: true }
}

interface Reference {
  readonly table: string
  readonly column: string
  readonly parent: string
  readonly parentColumn: string
}

/** Of rows that each callback and each attempt writes: a constraint locks and writes the row that they refer to. */
const UNCONSTRAINED = [
  ['callbacks', 'peer_id', 'peers', 'id'],
  ['events', 'callback_id', 'callbacks', 'callback_id'],
  ['quarantine', 'event_id', 'events', 'id'],
  ['deliveries', 'event_id', 'events', 'id'],
  ['deliveries', 'destination_id', 'destinations', 'id'],
  ['deliveries', 'replay_id', 'replays', 'id'],
  ['attempts', 'delivery_id', 'deliveries', 'id'],
].map(([table, column, parent, parentColumn]) => ({ table, column, parent, parentColumn }) as Reference)

/** Those that PostgreSQL keeps, unless somebody switched that off, and the others. */
async function brokenReferences(sql: Sql): Promise<string[]> {
  const constrained = await sql.all<Reference>(
    `select r.relname as table, a.attname as column, p.relname as parent, b.attname as "parentColumn"
    from pg_constraint k join pg_class r on r.oid = k.conrelid join pg_class p on p.oid = k.confrelid
      join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
      join pg_attribute b on b.attrelid = k.confrelid and b.attnum = k.confkey[1]
    where k.contype = 'f' and r.relnamespace = current_schema()::regnamespace order by k.oid`,
  )
  const problems: string[] = []
  for (const { table, column, parent, parentColumn } of [...UNCONSTRAINED, ...constrained]) {
    const rows = await sql.all<{ value: number | string }>(
      `select c.${column} as value from ${table} c left join ${parent} p on p.${parentColumn} = c.${column}
      where c.${column} is not null and p.${parentColumn} is null limit 1`,
    )
    problems.push(...rows.map(({ value }) => `${table} refers to row ${value} of ${parent}, which is not there`))
  }
  return problems
}

const ACTIONS_AT_ONCE = 1000

/** Faults of the log of actions in words; none: no entry was changed, removed or added by hand. */
async function actionFaults(sql: Sql): Promise<string[]> {
  const check = startActionCheck(await ask(sql, readActionAnchor), (await readHead(sql)).action)
  for (let after = 0; ; ) {
    const rows = await sql.all<ActionRow>(
      `select * from actions where id > :after order by id limit ${ACTIONS_AT_ONCE}`,
      { after },
    )
    for (const row of rows) check.entry(row)
    if (rows.length < ACTIONS_AT_ONCE) return check.faults()
    after = rows.at(-1)?.id ?? 0
  }
}

/** Rows per table, in the order of their creation. */
async function countsOf(sql: Sql): Promise<Record<string, number>> {
  const tables = await sql.all<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace order by oid`,
  )
  const counts: Record<string, number> = {}
  for (const { name } of tables)
    counts[name] = (await sql.get<{ n: number }>(`select count(*) as n from ${name}`))?.n ?? 0
  return counts
}
