import { hashBehind } from '../../../domain/event-hash.ts'
import { type AuditPoint, anchorOf, anchorText, type Skipped, skippedOf } from '../../verification/audit-points.ts'
import type { Connection } from '../database/connection.ts'
import { lastGiven } from '../database/last-position.ts'

/** The point up to which retention has removed everything. */
export function readAnchor(db: Connection): AuditPoint {
  return anchorOf(readMeta(db, 'event_anchor'))
}

/** Inside a transaction. */
export function keepAnchor(db: Connection, point: AuditPoint): void {
  keepMeta(db, 'event_anchor', anchorText(point))
}

/** The end of the chain: the last assigned position, and the hash up to the last event. */
export function readHead(db: Connection): AuditPoint {
  const last = db.prepare<[], AuditPoint>('select id as position, hash from events order by id desc limit 1').get()
  const point = pointAt(db, Number.MAX_SAFE_INTEGER, last ?? readAnchor(db))
  return { position: Math.max(point.position, lastGiven(db)), hash: point.hash }
}

/** The point directly before a position. */
export function readPrevious(db: Connection, position: number): AuditPoint {
  const last = db
    .prepare<[number], AuditPoint>('select id as position, hash from events where id < ? order by id desc limit 1')
    .get(position)
  return pointAt(db, position, last ?? readAnchor(db))
}

/** From an event or the anchor, across the removed events after it. */
function pointAt(db: Connection, before: number, from: AuditPoint): AuditPoint {
  const links = db
    .prepare<[number, number], { position: number; digest: Buffer }>(
      'select position, digest from removed_events where position > ? and position < ? order by position',
    )
    .iterate(from.position, before)
  let point = from
  for (const { position, digest } of links) point = { position, hash: hashBehind(point.hash, digest) }
  return point
}

export function readSkipped(db: Connection): Skipped {
  return skippedOf(readMeta(db, 'skipped_positions'))
}

/** Inside a transaction. */
export function keepSkipped(db: Connection, skipped: Skipped): void {
  keepMeta(db, 'skipped_positions', JSON.stringify(skipped))
}

function keepMeta(db: Connection, key: string, value: string): void {
  db.prepare('insert into meta (key, value) values (:key, :value) on conflict (key) do update set value = :value').run({
    key,
    value,
  })
}

export function readMeta(db: Connection, key: string): string | undefined {
  return db.prepare<[string], string>('select value from meta where key = ?').pluck().get(key)
}
