/**
 * The chain of the log of actions. An entry's hash is SHA-256 of the previous hash and the entry's digest, both computed as for events
 * (docs/evidence.md). Numbers have no gaps. Retention removes from the beginning only, and leaves the hash up to there: the anchor.
 */

import type { NewAction } from '../../../domain/actions/action.ts'
import { digestOf, FIRST_HASH, hashBehind } from '../../../domain/event-hash.ts'
import type { AuditPoint } from '../audit/audit-points.ts'
import type { Connection } from '../database/connection.ts'

const ENCODING = 'portaria-action-1'
const ANCHOR = 'action_anchor'

export interface ActionRow {
  readonly id: number
  readonly at: number
  readonly actor: string
  readonly channel: NewAction['channel']
  readonly action: string
  readonly target: string | null
  readonly reason: string | null
  /** JSON. */
  readonly details: string | null
  readonly refers_to: number | null
  readonly hash: Buffer
}

/** The hash of an entry behind the one with the hash `previous`. */
export function actionHash(previous: Uint8Array, entry: Omit<ActionRow, 'hash'>): Buffer {
  const { id, at, actor, channel, action, target, reason, details, refers_to: refersTo } = entry
  return hashBehind(previous, digestOf([ENCODING, id, at, actor, channel, action, target, reason, details, refersTo]))
}

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
