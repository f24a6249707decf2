import { breachText, type Invariant } from '../../../verification/invariants.ts'
import type { Connection } from '../../database/connection.ts'

/** The violation with the first ids that break the rule; null: none. */
export function breachOf(db: Connection, invariant: Invariant, values: object = {}): string | null {
  return breachText(invariant, db.prepare<object, number>(invariant.sql).pluck().all(values))
}
