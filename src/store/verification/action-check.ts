import { hexOf } from '../../domain/event-hash.ts'
import { type ActionRow, actionHash } from '../rows/action-row.ts'
import type { AuditPoint } from './audit-points.ts'

/** Faults that are named at most. */
const NAMED = 20

export interface ActionCheck {
  /** Visits the next entry. */
  entry(row: ActionRow): void
  /** Faults of the log of actions in words; none: no entry was changed, removed or added by hand. */
  faults(): string[]
}

/** @param anchor the last entry that retention removed @param last the last number that was given */
export function startActionCheck(anchor: AuditPoint, last: number): ActionCheck {
  const faults: string[] = []
  let { position, hash } = anchor
  return {
    entry(row) {
      if (row.id <= anchor.position || row.id > last) {
        faults.push(`act_${row.id} of the log of actions was added by hand`)
        return
      }
      if (row.id > position + 1) faults.push(missing(position + 1, row.id - 1))
      else if (hexOf(actionHash(hash, row)) !== hexOf(row.hash))
        faults.push(`act_${row.id} of the log of actions was changed, or an entry before it was`)
      position = row.id
      // The stored hash, so that one fault is one report.
      hash = row.hash
    },
    faults() {
      if (position < last) faults.push(missing(position + 1, last))
      if (faults.length <= NAMED) return faults
      return [...faults.slice(0, NAMED), `and ${faults.length - NAMED} more faults of the log of actions`]
    },
  }
}

function missing(from: number, to: number): string {
  const which = from === to ? `act_${from}` : `act_${from} to act_${to}`
  return `${which} of the log of actions ${from === to ? 'was' : 'were'} removed by hand`
}
