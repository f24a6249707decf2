import type { ActionRow } from '../../rows/action-row.ts'
import { readActionAnchor } from '../../sql/actions.ts'
import { startActionCheck } from '../../verification/action-check.ts'
import { ask } from '../database/ask.ts'
import type { Connection } from '../database/connection.ts'

/** The last number that was given. */
export function lastAction(db: Connection): number {
  return db.prepare<[], number>("select seq from sqlite_sequence where name = 'actions'").pluck().get() ?? 0
}

/** Faults of the log of actions in words; none: no entry was changed, removed or added by hand. */
export function actionFaults(db: Connection): string[] {
  const check = startActionCheck(ask(db, readActionAnchor), lastAction(db))
  for (const row of db.prepare<[], ActionRow>('select * from actions order by id').iterate()) check.entry(row)
  return check.faults()
}
