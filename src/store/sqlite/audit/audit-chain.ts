import { digestOf, hashBehind, hashedValues } from '../../../domain/event-hash.ts'
import type { EventChain } from '../../storing/event-rows.ts'
import { type AuditPoint, nextPosition } from '../../verification/audit-points.ts'
import type { Connection } from '../database/connection.ts'
import { prepareMark } from '../database/last-position.ts'
import { keepAnchor, readAnchor, readHead, readSkipped } from './audit-points.ts'
import { hashedRows } from './audit-rows.ts'

/** The chain of event hashes: each covers the event and the previous hash. */
export interface AuditChain extends EventChain {
  /**
   * Stores the digests that the hashes of later events need. Inside the transaction that removes the rows of these events, before it removes their
   * callbacks. Writes a bounded number of further rows, and the mark of the last position.
   */
  keepLinks(positions: readonly number[]): void
}

/** Older links that one removal also folds: they had to wait while an earlier event was still stored. */
const FOLDED_MORE = 1000

export function createAuditChain(db: Connection): AuditChain {
  const keepLink = db.prepare('insert or replace into removed_events (position, digest) values (?, ?)')
  const linksBehind = db.prepare<[number, number], { position: number; digest: Buffer }>(
    'select position, digest from removed_events where position > ? order by position limit ?',
  )
  const markLast = prepareMark(db)
  const dropLinks = db.prepare('delete from removed_events where position <= ?')
  /** null: must be read from the database. */
  let head: AuditPoint | null = null

  /** Folds the links before the first event into one point, the anchor. */
  function foldLinks(limit: number): void {
    const anchor = readAnchor(db)
    const skipped = readSkipped(db)
    let point = anchor
    for (const { position, digest } of linksBehind.iterate(anchor.position, limit)) {
      if (position !== nextPosition(point.position, skipped)) break
      point = { position, hash: hashBehind(point.hash, digest) }
    }
    if (point === anchor) return
    keepAnchor(db, point)
    dropLinks.run(point.position)
  }

  return {
    nextPosition() {
      head ??= readHead(db)
      return head.position + 1
    },

    append(event, callback) {
      head ??= readHead(db)
      const hash = hashBehind(head.hash, digestOf(hashedValues(event, callback)))
      head = { position: event.position, hash }
      return hash
    },

    keepLinks(positions) {
      markLast()
      for (const { position, values } of hashedRows(db, positions)) keepLink.run(position, digestOf(values))
      foldLinks(positions.length + FOLDED_MORE)
    },

    rolledBack() {
      head = null
    },
  }
}
