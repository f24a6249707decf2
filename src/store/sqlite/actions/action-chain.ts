import { type AuditPoint, anchorOf, anchorText } from '../../verification/audit-points.ts'
import type { Connection } from '../database/connection.ts'

const ANCHOR = 'action_anchor'

/** The last entry that retention removed. */
export function readActionAnchor(db: Connection): AuditPoint {
  return anchorOf(db.prepare<[string], string>('select value from meta where key = ?').pluck().get(ANCHOR))
}

/** Inside a transaction. */
export function keepActionAnchor(db: Connection, point: AuditPoint): void {
  db.prepare('insert into meta (key, value) values (:key, :value) on conflict (key) do update set value = :value').run({
    key: ANCHOR,
    value: anchorText(point),
  })
}

/** The last number that was given. */
export function lastAction(db: Connection): number {
  return db.prepare<[], number>("select seq from sqlite_sequence where name = 'actions'").pluck().get() ?? 0
}
