import { FIRST_HASH, hashBehind, hexOf } from '../../../domain/event-hash.ts'
import type { Connection } from '../database/connection.ts'
import { lastGiven } from '../database/last-position.ts'

/** A position and the hash up to it. */
export interface AuditPoint {
  readonly position: number
  readonly hash: Uint8Array
}

/** The point up to which retention has removed everything. A malformed value, written by hand, counts as none. */
export function readAnchor(db: Connection): AuditPoint {
  const [, position, hash] = /^([0-9]{1,15}):([0-9a-f]{64})$/.exec(readMeta(db, 'event_anchor') ?? '') ?? []
  if (position === undefined || hash === undefined) return { position: 0, hash: FIRST_HASH }
  return { position: Number(position), hash: Buffer.from(hash, 'hex') }
}

/** Inside a transaction. */
export function keepAnchor(db: Connection, { position, hash }: AuditPoint): void {
  keepMeta(db, 'event_anchor', `${position}:${hexOf(hash)}`)
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

/** Ranges of positions that were never assigned: a restored backup skips all that may have been assigned after it was taken. */
export type Skipped = readonly (readonly [from: number, to: number])[]

/** A malformed value, written by hand, counts as none. */
export function readSkipped(db: Connection): Skipped {
  const pairs = (readMeta(db, 'skipped_positions') ?? '').matchAll(/\[([0-9]{1,15}), *([0-9]{1,15})\]/g)
  return [...pairs].map(([, from, to]) => [Number(from), Number(to)])
}

/** Inside a transaction. */
export function keepSkipped(db: Connection, skipped: Skipped): void {
  keepMeta(db, 'skipped_positions', JSON.stringify(skipped))
}

/** How many of the positions after the first, up to the second, were assigned. */
export function countAssigned(skipped: Skipped, after: number, upTo: number): number {
  const within = skipped.map(([from, to]) => Math.max(0, Math.min(to, upTo) - Math.max(from - 1, after)))
  return within.reduce((left, count) => left - count, Math.max(0, upTo - after))
}

export function nextPosition(position: number, skipped: Skipped): number {
  let next = position + 1
  for (const [from, to] of skipped) if (from === next) next = to + 1
  return next
}

function keepMeta(db: Connection, key: string, value: string): void {
  db.prepare('insert into meta (key, value) values (:key, :value) on conflict (key) do update set value = :value').run({
    key,
    value,
  })
}

function readMeta(db: Connection, key: string): string | undefined {
  return db.prepare<[string], string>('select value from meta where key = ?').pluck().get(key)
}
