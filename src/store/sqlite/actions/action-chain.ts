import { FIRST_HASH } from '../../../domain/event-hash.ts'
import type { AuditPoint } from '../audit/audit-points.ts'
import type { Connection } from '../database/connection.ts'

const ANCHOR = 'action_anchor'

/** The last entry that retention removed. A malformed value, written by hand, counts as none. */
export function readActionAnchor(db: Connection): AuditPoint {
  const value = db.prepare<[string], string>('select value from meta where key = ?').pluck().get(ANCHOR) ?? ''
  const [, position, hash] = /^([0-9]{1,15}):([0-9a-f]{64})$/.exec(value) ?? []
  if (position === undefined || hash === undefined) return { position: 0, hash: FIRST_HASH }
  return { position: Number(position), hash: Buffer.from(hash, 'hex') }
}

/** Inside a transaction. */
export function keepActionAnchor(db: Connection, { position, hash }: AuditPoint): void {
  const value = `${position}:${Buffer.from(hash).toString('hex')}`
  db.prepare('insert into meta (key, value) values (:key, :value) on conflict (key) do update set value = :value').run({
    key: ANCHOR,
    value,
  })
}

/** The last number that was given. */
export function lastAction(db: Connection): number {
  return db.prepare<[], number>("select seq from sqlite_sequence where name = 'actions'").pluck().get() ?? 0
}
