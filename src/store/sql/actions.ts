import type { ActionFilter, ActionPage, NewAction } from '../../domain/actions/action.ts'
import { type ActionRow, actionHash, actionOfRow } from '../rows/action-row.ts'
import { type AuditPoint, anchorOf, anchorText } from '../verification/audit-points.ts'
import { type Asked, all, get, run } from './asked.ts'
import type { Dialect } from './dialect.ts'
import { keepMeta, readMeta } from './meta.ts'
import { newestNumber, numberedPage } from './numbered-page.ts'

const ANCHOR = 'action_anchor'

/** The last entry that retention removed. */
export function* readActionAnchor(_: Dialect): Asked<AuditPoint> {
  return anchorOf(yield* readMeta(ANCHOR))
}

/** @param id the next number, never given before */
export function* recordAction(d: Dialect, { refersTo, details, ...action }: NewAction, id: number): Asked<number> {
  const newest = yield* get<{ hash: Buffer }>('select hash from actions order by id desc limit 1')
  const previous = newest?.hash ?? (yield* readActionAnchor(d)).hash
  const text = details === null ? null : JSON.stringify(details)
  const entry = { ...action, id, details: text, refers_to: refersTo }
  yield* run(
    `insert into actions (id, at, actor, channel, action, target, reason, details, refers_to, hash)
    values (:id, ${d.time(':at')}, :actor, :channel, :action, :target, :reason, :details, :refers_to, :hash)`,
    { ...entry, hash: actionHash(previous, entry) },
  )
  return id
}

/** A clock that was set back leaves an older entry behind a newer one: it stays as long as that one. */
export function* removeActions(_: Dialect, before: number, limit: number): Asked<number> {
  const oldest = yield* all<Pick<ActionRow, 'id' | 'at' | 'hash'>>(
    'select id, at, hash from actions order by id limit :limit',
    { limit },
  )
  const kept = oldest.findIndex(({ at }) => at >= before)
  const last = oldest[(kept === -1 ? oldest.length : kept) - 1]
  if (last === undefined) return 0
  yield* keepMeta(ANCHOR, anchorText({ position: last.id, hash: last.hash }))
  return yield* run('delete from actions where id <= :id', { id: last.id })
}

export function* listActions({ time }: Dialect, filter: ActionFilter, limit: number): Asked<ActionPage> {
  const conditions = [
    ['before', 'id < :before'],
    ['actor', 'actor = :actor'],
    ['action', 'action = :action'],
    ['target', 'target = :target'],
    ['from', `at >= ${time(':from')}`],
    ['to', `at < ${time(':to')}`],
  ] as const
  const { rows, ...rest } = yield* numberedPage<ActionRow, ActionFilter>('actions', conditions, filter, limit)
  return { actions: rows.map(actionOfRow), ...rest }
}

export function latestAction(_: Dialect): Asked<number> {
  return newestNumber('actions')
}
