import { keepSkipped, readSkipped } from '../audit/audit-points.ts'
import type { Connection } from '../database/connection.ts'
import { lastGiven, prepareMark } from '../database/last-position.ts'
import { announceLoss } from '../rows/removals.ts'

/**
 * More positions than a gateway assigns between a backup and its restore: 5,000 events/s for 2.5 days. New events therefore follow every position that
 * the lost database may have assigned and a reader may have seen.
 */
const SKIPPED = 1_000_000_000

/**
 * Makes a restored database skip all positions that may have been assigned since its backup, and all such numbers of destinations, replays, consumers
 * and facts in quarantine. Reports a gap to every reader once. Inside a transaction.
 * @param atLeast the last position known to be assigned
 */
export function skipPositions(db: Connection, now: number, atLeast = 0): void {
  const sequence = db.prepare<[string], number>('select seq from sqlite_sequence where name = ?').pluck()
  const insert = db.prepare('insert into sqlite_sequence (name, seq) values (?, ?)')
  const move = db.prepare('update sqlite_sequence set seq = seq + ? where name = ?')
  const last = lastGiven(db)
  prepareMark(db)()
  const skipped = SKIPPED + Math.max(0, atLeast - last)
  for (const table of numberedTables(db)) {
    if (sequence.get(table) === undefined) insert.run(table, 0)
    move.run(skipped, table)
  }
  keepSkipped(db, [...readSkipped(db), [last + 1, last + skipped]])
  announceLoss(db, last + skipped, now)
}

/** Tables whose numbers are never reused. The log of actions is a chain without gaps: it continues after the last entry of the backup. */
function numberedTables(db: Connection): string[] {
  return db
    .prepare<[], string>(`
      select name from sqlite_schema where type = 'table' and (sql like '%autoincrement%' or name = 'events') and name <> 'actions'`)
    .pluck()
    .all()
}
