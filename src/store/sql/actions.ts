import type { ActionDetails, ActionFilter, ActionPage, ActionRecord, NewAction } from '../../domain/actions/action.ts'
import { hexOf } from '../../domain/event-hash.ts'
import { actionHash } from '../rows/action-row.ts'
import { type AuditPoint, anchorOf, anchorText } from '../verification/audit-points.ts'
import { type Asked, all, get, run } from './asked.ts'
import type { Dialect } from './dialect.ts'
import { keepMeta, readMeta } from './meta.ts'
import { newestNumber, numberedPage } from './numbered-page.ts'
import { insertInto } from './table-texts.ts'

interface ActionRow extends Omit<ActionRecord, 'details' | 'hash'> {
  /** JSON. */
  readonly details: string | null
  readonly hash: Buffer
}

function actionOf({ details, hash, ...row }: ActionRow): ActionRecord {
  return { ...row, details: detailsOf(details), hash: hexOf(hash) }
}

/** A text that was changed by hand is shown as it is: `storage verify` reports the entry. */
function detailsOf(text: string | null): ActionDetails | null {
  if (text === null) return null
  try {
    const details: unknown = JSON.parse(text)
    if (isDetails(details)) return details
  } catch {
    // It is no JSON.
  }
  return { text }
}

/** By hand: the schema library would cost each thread of the store 6 MiB. */
function isDetails(value: unknown): value is ActionDetails {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && Object.values(value).every((detail) => typeof detail === 'string')
}

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
  const hash = actionHash(previous, { ...action, id, details: text, refers_to: refersTo })
  yield* run(insertInto(d, 'actions'), { ...action, id, details: text, refersTo, hash })
  return id
}

/** A clock that was set back leaves an older entry behind a newer one: it stays as long as that one. */
export function* removeActions(_: Dialect, before: number, limit: number): Asked<number> {
  const oldest = yield* all<{ id: number; at: number; hash: Buffer }>(
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
  return { actions: rows.map(actionOf), ...rest }
}

export function latestAction(_: Dialect): Asked<number> {
  return newestNumber('actions')
}
