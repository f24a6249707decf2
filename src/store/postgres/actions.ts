import type { ActionFilter, ActionPage, NewAction } from '../../domain/actions/action.ts'
import { type ActionRow, actionHash, actionOfRow } from '../rows/action-row.ts'
import { conditionsFor } from '../rules/numbered-page.ts'
import { type AuditPoint, anchorOf, anchorText } from '../verification/audit-points.ts'
import { keepMeta, readMeta } from './database/meta.ts'
import { newestNumber, numberedPage } from './database/numbered-page.ts'
import type { Sql } from './database/sql.ts'
import type { Transaction } from './writing/transaction.ts'

const ANCHOR = 'action_anchor'

/** The last entry that retention removed. */
export async function readActionAnchor(sql: Sql): Promise<AuditPoint> {
  return anchorOf(await readMeta(sql, ANCHOR))
}

export async function recordAction(
  _parts: unknown,
  { sql, ...transaction }: Transaction,
  { refersTo, details, ...action }: NewAction,
): Promise<number> {
  const head = await transaction.head()
  const newest = await sql.get<{ hash: Buffer }>('select hash from actions order by id desc limit 1')
  const previous = newest?.hash ?? (await readActionAnchor(sql)).hash
  head.action++
  const text = details === null ? null : JSON.stringify(details)
  const entry = { ...action, id: head.action, details: text, refers_to: refersTo }
  await sql.run(
    `insert into actions (id, at, actor, channel, action, target, reason, details, refers_to, hash)
    values (:id, at_ms(:at), :actor, :channel, :action, :target, :reason, :details, :refers_to, :hash)`,
    { ...entry, hash: actionHash(previous, entry) },
  )
  return entry.id
}

/** A clock that was set back leaves an older entry behind a newer one: it stays as long as that one. */
export async function removeActions(
  _parts: unknown,
  { sql }: Transaction,
  before: number,
  limit: number,
): Promise<number> {
  const oldest = await sql.all<Pick<ActionRow, 'id' | 'at' | 'hash'>>(
    'select id, at, hash from actions order by id limit :limit',
    { limit },
  )
  const kept = oldest.findIndex(({ at }) => at >= before)
  const last = oldest[(kept === -1 ? oldest.length : kept) - 1]
  if (last === undefined) return 0
  await keepMeta(sql, ANCHOR, anchorText({ position: last.id, hash: last.hash }))
  return sql.run('delete from actions where id <= :id', { id: last.id })
}

const CONDITIONS = [
  ['before', 'id < :before'],
  ['actor', 'actor = :actor'],
  ['action', 'action = :action'],
  ['target', 'target = :target'],
  ['from', 'at >= at_ms(:from)'],
  ['to', 'at < at_ms(:to)'],
] as const

export async function listActions(sql: Sql, filter: ActionFilter, limit: number): Promise<ActionPage> {
  const query = { ...conditionsFor(filter, CONDITIONS), table: 'actions', after: filter.after } as const
  const { rows, ...rest } = await numberedPage<ActionRow>(sql, { ...query, newestFirst: filter.newestFirst }, limit)
  return { actions: rows.map(actionOfRow), ...rest }
}

export function latestAction(sql: Sql): Promise<number> {
  return newestNumber(sql, 'actions')
}
