import type { ActionFilter, ActionPage, ActionRecord, NewAction } from '../../../domain/actions/action.ts'
import { hexOf } from '../../../domain/event-hash.ts'
import type { Connection } from '../database/connection.ts'
import { type ActionRow, actionHash, keepActionAnchor, lastAction, readActionAnchor } from './action-chain.ts'

/** Inside the transaction. */
export function createActionLog(db: Connection) {
  const newest = db.prepare<[], Pick<ActionRow, 'id' | 'hash'>>('select id, hash from actions order by id desc limit 1')
  const insert = db.prepare(`
    insert into actions (id, at, actor, channel, action, target, reason, refers_to, hash)
    values (:id, :at, :actor, :channel, :action, :target, :reason, :refers_to, :hash)`)
  const oldest = db.prepare<[number], Pick<ActionRow, 'id' | 'at' | 'hash'>>(
    'select id, at, hash from actions order by id limit ?',
  )
  const removeThrough = db.prepare('delete from actions where id <= ?')

  return {
    record({ refersTo, ...action }: NewAction): number {
      const previous = newest.get()?.hash ?? readActionAnchor(db).hash
      const entry = { ...action, id: lastAction(db) + 1, refers_to: refersTo }
      insert.run({ ...entry, hash: actionHash(previous, entry) })
      return entry.id
    },

    /** A clock that was set back leaves an older entry behind a newer one: it stays as long as that one. */
    removeAged(before: number, limit: number): number {
      const found = oldest.all(limit)
      const kept = found.findIndex(({ at }) => at >= before)
      const last = found[(kept === -1 ? found.length : kept) - 1]
      if (last === undefined) return 0
      keepActionAnchor(db, { position: last.id, hash: last.hash })
      return removeThrough.run(last.id).changes
    },
  }
}

const CONDITIONS = [
  ['before', 'id < :before'],
  ['actor', 'actor = :actor'],
  ['action', 'action = :action'],
  ['target', 'target = :target'],
  ['from', 'at >= :from'],
  ['to', 'at < :to'],
] as const

export function listActions(db: Connection, filter: ActionFilter, limit: number): ActionPage {
  return db.transaction(() => {
    const after = filter.after ?? 0
    const conditions = ['id > :after']
    const values: Record<string, unknown> = { after, limit: limit + 1 }
    for (const [name, condition] of CONDITIONS) {
      if (filter[name] === undefined) continue
      conditions.push(condition)
      values[name] = filter[name]
    }
    const rows = db
      .prepare<Record<string, unknown>, ActionRow>(`
        select * from actions where ${conditions.join(' and ')}
        order by id ${filter.newestFirst === true ? 'desc' : 'asc'} limit :limit`)
      .all(values)
    const actions = rows.slice(0, limit).map(actionOfRow)
    const more = rows.length > limit
    // No match is left up to the newest entry, so the next page may start there.
    const end = filter.newestFirst === true ? 0 : Math.max(after, latestAction(db))
    return { actions, next: more ? (actions.at(-1)?.id ?? after) : end, more }
  })()
}

export function latestAction(db: Connection): number {
  return db.prepare<[], number | null>('select max(id) from actions').pluck().get() ?? 0
}

function actionOfRow({ refers_to: refersTo, hash, ...row }: ActionRow): ActionRecord {
  return { ...row, refersTo, hash: hexOf(hash) }
}
