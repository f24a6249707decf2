import { openForReading } from '../../src/store/sqlite/database/connection.ts'
import { breachOf } from '../../src/store/sqlite/maintenance/invariants/invariant.ts'
import { SEARCH_INVARIANTS } from '../../src/store/sqlite/maintenance/search-invariants.ts'
import { verifyDatabase } from '../../src/store/sqlite/maintenance/verify.ts'
import { verifyAuditChain } from '../../src/store/sqlite/verification/verify-audit-chain.ts'
import type { Invariant } from '../../src/store/verification/invariants.ts'

export interface Circumstances {
  readonly now: number
  /** What has been due for longer, at a destination that is active and whose circuit is closed, is stuck. */
  readonly stuckAfterMs: number
}

/** A claim's lease is its next attempt: one that is over is stuck as well. */
const STUCK: Invariant = {
  violation: 'pending delivery that has been due for long',
  sql: `
    select d.id from deliveries d join destinations t on t.id = d.destination_id
    where d.state = 'pending' and t.state = 'active' and t.circuit_opened_at is null and d.next_attempt_at < :dueBefore
    order by d.id`,
}

/** Not the product's: behind the deduplication window the same fact is an event again. */
const TWICE: Invariant = {
  violation: 'event of a fact that another event of its kind, environment and listener has',
  sql: `
    select max(e.id) as id from events e join callbacks c on c.id = e.callback_id where fact_hash is not null
    group by e.kind, e.environment, c.listener, fact_hash having count(*) > 1`,
}

/** The same for a fact in quarantine. */
const HELD_TWICE: Invariant = {
  violation: 'fact that is in quarantine twice',
  sql: `
    select max(id) as id from quarantine where fact_hash is not null and state <> 'released' group by fact_hash having count(*) > 1`,
}

/**
 * What in the database is not as it must be between any two transactions, in words; none for a sound one. Only looks: it may run beside a
 * gateway, and on what a killed one left.
 */
export function violationsOf(file: string, { now, stuckAfterMs }: Circumstances): string[] {
  const { problems: broken, counts } = verifyDatabase(file, () => undefined)
  // What SQLite cannot read has no chain either.
  const chain = Object.keys(counts).length === 0 ? [] : verifyAuditChain(file, [], () => undefined).problems
  const problems = [...broken, ...chain]
  const db = openForReading(file)
  try {
    const search = SEARCH_INVARIANTS.map((invariant) => breachOf(db, invariant))
    const twice = [TWICE, HELD_TWICE].map((invariant) => breachOf(db, invariant))
    const further = [breachOf(db, STUCK, { dueBefore: now - stuckAfterMs }), ...twice, ...search]
    return [...problems, ...further.filter((breach) => breach !== null)]
  } finally {
    db.close()
  }
}
