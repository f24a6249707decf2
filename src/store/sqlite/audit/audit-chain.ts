import {
  digestOf,
  type HashedCallback,
  type HashedEvent,
  hashBehind,
  hashedValues,
} from '../../../domain/event-hash.ts'
import type { Connection } from '../database/connection.ts'
import { type AuditPoint, keepAnchor, nextPosition, readAnchor, readHead, readSkipped } from './audit-points.ts'
import { hashedRows } from './audit-rows.ts'

/** The hashes of the events, each over the one before it. */
export interface AuditChain {
  /** Inside the transaction: the position and the hash of the next event, which must be stored in it. */
  append(event: Appended, callback: HashedCallback): { position: number; hash: Buffer }
  /**
   * Inside the transaction in which retention removes the rows of these events, and before it does, for their callbacks must still be there: keeps
   * what the hashes of later events need of them. Writes a bounded number of rows more than it is given.
   */
  keepLinks(positions: readonly number[]): void
  /** After a rollback: what was appended never happened. */
  rolledBack(): void
}

export type Appended = Omit<HashedEvent, 'position'>

/** Links that one removal folds beyond its own, where they waited behind an event that stayed longer. */
const FOLDED_MORE = 1000

export function createAuditChain(db: Connection): AuditChain {
  const keepLink = db.prepare('insert or replace into removed_events (position, digest) values (?, ?)')
  const linksBehind = db.prepare<[number, number], { position: number; digest: Buffer }>(
    'select position, digest from removed_events where position > ? order by position limit ?',
  )
  const dropLinks = db.prepare('delete from removed_events where position <= ?')
  /** null: to be read from the database. */
  let head: AuditPoint | null = null

  /** The links in front of all events become one point. */
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
    append(event, callback) {
      head ??= readHead(db)
      const position = head.position + 1
      const hash = hashBehind(head.hash, digestOf(hashedValues({ ...event, position }, callback)))
      head = { position, hash }
      return { position, hash }
    },

    keepLinks(positions) {
      for (const { position, values } of hashedRows(db, positions)) keepLink.run(position, digestOf(values))
      foldLinks(positions.length + FOLDED_MORE)
    },

    rolledBack() {
      head = null
    },
  }
}
