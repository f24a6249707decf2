import { keepSkipped, lastGiven, readSkipped } from '../audit/audit-points.ts'
import type { Connection } from '../database/connection.ts'
import { announceLoss } from '../retention/removals.ts'

/**
 * More than a gateway gives between a backup and its restoring: at 5,000 events a second, two days and a half without a pause. Whatever the lost
 * database had given since, and pollers have read, nothing new comes in front of it.
 */
const SKIPPED = 1_000_000_000

/**
 * Has a restored database give no position again that may have been given since its backup was taken, nor the number of a destination, a replay,
 * a consumer or what is in quarantine; and every poller told once that events may be lost. Inside a transaction.
 * @param atLeast the last position that is known to have been given
 */
export function skipPositions(db: Connection, now: number, atLeast = 0): void {
  const sequence = db.prepare<[string], number>('select seq from sqlite_sequence where name = ?').pluck()
  const insert = db.prepare('insert into sqlite_sequence (name, seq) values (?, ?)')
  const move = db.prepare('update sqlite_sequence set seq = seq + ? where name = ?')
  const last = lastGiven(db)
  const skipped = SKIPPED + Math.max(0, atLeast - last)
  for (const table of numberedTables(db)) {
    if (sequence.get(table) === undefined) insert.run(table, 0)
    move.run(skipped, table)
  }
  keepSkipped(db, [...readSkipped(db), [last + 1, last + skipped]])
  announceLoss(db, last + skipped, now)
}

/** Those whose numbers are never used again. */
function numberedTables(db: Connection): string[] {
  return db
    .prepare<[], string>(`select name from sqlite_schema where type = 'table' and sql like '%autoincrement%'`)
    .pluck()
    .all()
}
