import type { ActionRow } from '../../rows/action-row.ts'
import { startActionCheck } from '../../verification/action-check.ts'
import type { Connection } from '../database/connection.ts'
import { lastAction, readActionAnchor } from './action-chain.ts'

/** Faults of the log of actions in words; none: no entry was changed, removed or added by hand. */
export function actionFaults(db: Connection): string[] {
  const check = startActionCheck(readActionAnchor(db), lastAction(db))
  for (const row of db.prepare<[], ActionRow>('select * from actions order by id').iterate()) check.entry(row)
  return check.faults()
}
