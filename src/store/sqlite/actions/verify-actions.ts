import { hexOf } from '../../../domain/event-hash.ts'
import type { ActionRow } from '../../rows/action-row.ts'
import { actionHash } from '../../rows/action-row.ts'
import type { Connection } from '../database/connection.ts'
import { lastAction, readActionAnchor } from './action-chain.ts'

/** Faults that are named at most. */
const NAMED = 20

/** Faults of the log of actions in words; none: no entry was changed, removed or added by hand. */
export function actionFaults(db: Connection): string[] {
  const anchor = readActionAnchor(db)
  const last = lastAction(db)
  const faults: string[] = []
  let { position, hash } = anchor
  for (const row of db.prepare<[], ActionRow>('select * from actions order by id').iterate()) {
    if (row.id <= anchor.position || row.id > last) {
      faults.push(`act_${row.id} of the log of actions was added by hand`)
      continue
    }
    if (row.id > position + 1) faults.push(missing(position + 1, row.id - 1))
    else if (hexOf(actionHash(hash, row)) !== hexOf(row.hash))
      faults.push(`act_${row.id} of the log of actions was changed, or an entry before it was`)
    position = row.id
    // The stored hash, so that one fault is one report.
    hash = row.hash
  }
  if (position < last) faults.push(missing(position + 1, last))
  if (faults.length <= NAMED) return faults
  return [...faults.slice(0, NAMED), `and ${faults.length - NAMED} more faults of the log of actions`]
}

function missing(from: number, to: number): string {
  const which = from === to ? `act_${from}` : `act_${from} to act_${to}`
  return `${which} of the log of actions ${from === to ? 'was' : 'were'} removed by hand`
}
