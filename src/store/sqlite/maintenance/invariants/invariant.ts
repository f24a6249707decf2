import type { Connection } from '../../database/connection.ts'

/** A rule that holds between any two transactions. */
export interface Invariant {
  /** Names the rows that the query finds. */
  readonly violation: string
  /** One column, `id`, of the rows that break the rule. */
  readonly sql: string
}

const NAMED = 5

/** The violation with the first ids that break the rule; null: none. */
export function breachOf(db: Connection, { violation, sql }: Invariant, values: object = {}): string | null {
  const ids = db.prepare<object, number>(sql).pluck().all(values)
  if (ids.length === 0) return null
  return `${violation}: ${ids.slice(0, NAMED).join(', ')}${ids.length > NAMED ? ` and ${ids.length - NAMED} more` : ''}`
}
