import type { ActionFilter, ActionPage, NewAction } from '../../../domain/actions/action.ts'
import type { ActionRow } from '../../rows/action-row.ts'
import { actionHash, actionOfRow } from '../../rows/action-row.ts'
import { conditionsFor } from '../../rules/numbered-page.ts'
import type { Connection } from '../database/connection.ts'
import { newestNumber, numberedPage } from '../database/numbered-page.ts'
import { keepActionAnchor, lastAction, readActionAnchor } from './action-chain.ts'

/** Inside the transaction. */
export function createActionLog(db: Connection) {
  const newest = db.prepare<[], Pick<ActionRow, 'id' | 'hash'>>('select id, hash from actions order by id desc limit 1')
  const insert = db.prepare(`
    insert into actions (id, at, actor, channel, action, target, reason, details, refers_to, hash)
    values (:id, :at, :actor, :channel, :action, :target, :reason, :details, :refers_to, :hash)`)
  const oldest = db.prepare<[number], Pick<ActionRow, 'id' | 'at' | 'hash'>>(
    'select id, at, hash from actions order by id limit ?',
  )
  const removeThrough = db.prepare('delete from actions where id <= ?')

  return {
    record({ refersTo, details, ...action }: NewAction): number {
      const previous = newest.get()?.hash ?? readActionAnchor(db).hash
      const text = details === null ? null : JSON.stringify(details)
      const entry = { ...action, id: lastAction(db) + 1, details: text, refers_to: refersTo }
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
  const query = { ...conditionsFor(filter, CONDITIONS), table: 'actions', after: filter.after } as const
  const { rows, ...rest } = numberedPage<ActionRow>(db, { ...query, newestFirst: filter.newestFirst }, limit)
  return { actions: rows.map(actionOfRow), ...rest }
}

export function latestAction(db: Connection): number {
  return newestNumber(db, 'actions')
}
