import { type AuditVerification, startVerification, type WrittenPoint } from '../../verification/audit-verification.ts'
import type { VerifyStep } from '../../verification/verification.ts'
import { createAuditRanges, createAuditReader } from '../audit/audit-entries.ts'
import { readAnchor, readSkipped } from '../audit/audit-points.ts'
import { alteredPeers } from '../audit/peer-check.ts'
import { type Connection, openForReading } from '../database/connection.ts'
import { lastGiven } from '../database/last-position.ts'
import { requireCurrentSchema } from '../database/migrations.ts'

/**
 * Verifies all events up to the current last one. Read-only, and safe beside a running gateway. Blocks its thread, but reads a range of 1,000 positions
 * per transaction, so that the write-ahead log can be truncated meanwhile.
 * @param expected points of earlier verifications
 * @throws PortariaError `store_missing`, `store_newer`, `store_unavailable`
 */
export function verifyAuditChain(
  file: string,
  expected: readonly WrittenPoint[],
  show: (step: VerifyStep) => void,
): AuditVerification {
  const db = openForReading(file)
  try {
    requireCurrentSchema(db)
    const begin = db.transaction(() => ({
      upTo: lastGiven(db),
      anchor: readAnchor(db),
      skipped: readSkipped(db),
      outside: outsideOf(db),
    }))()
    const verification = startVerification(begin, expected)
    const nextRange = createAuditRanges(db, begin.anchor.position, begin.upTo)
    const read = createAuditReader(db)
    for (let range = nextRange(); range !== null; range = nextRange()) {
      show(verification.step(range))
      verification.take(range, read(range))
    }
    return verification.end(alteredPeers(db))
  } finally {
    db.close()
  }
}

/** Positions of rows outside of the chain. Each condition is a range of a primary key: one with "or" would visit every row. */
function outsideOf(db: Connection): number[] {
  return db
    .prepare<object, number>(
      `select id from events where id <= :anchor union select id from events where id > :last
       union select position from removed_events where position <= :anchor
       union select position from removed_events where position > :last order by 1`,
    )
    .pluck()
    .all({ anchor: readAnchor(db).position, last: lastGiven(db) })
}
