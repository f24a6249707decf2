import type { EventFilter } from '../../../domain/event-record.ts'
import type { RetentionGap } from '../../../domain/retention.ts'
import type { Announced, RemovalRow } from '../../rules/gaps.ts'
import { ALL, gapIn } from '../../rules/gaps.ts'
import type { Connection } from '../database/connection.ts'
import { oncePerConnection } from '../database/prepared.ts'

/** What retention has removed of the events that match a filter. The table has few rows: one is deleted when a later one reaches as far. */
export function findRetentionGap(db: Connection, filter: EventFilter): RetentionGap {
  return gapIn(removalsOf(db).all(), filter)
}

const removalsOf = oncePerConnection((db) => db.prepare<[], RemovalRow>('select * from removals'))

interface Announcements {
  /** Before a removal. Announces also positions below an earlier one: events there may have stayed, unread, until now. */
  announceBefore(reach: readonly Announced[], now: number): void
  /** With a removal. Announces only positions that `announceBefore` has not announced. */
  announceAfter(reach: readonly Announced[], now: number): void
}

/**
 * Inside the transaction. Announcement times always increase, even if the clock is set back. They are times and not a counter, so that they also
 * increase across the restore of a backup.
 */
export function createAnnouncements(db: Connection): Announcements {
  const latest = db.prepare<[], number | null>('select max(announced_at) from removals').pluck()
  const isMeant = 'kind = :kind and environment = :environment'
  const isAnnounced = db.prepare<Announced, 1>(
    `select 1 from removals where ${isMeant} and through >= :through limit 1`,
  )
  const removeCovered = db.prepare(`delete from removals where ${isMeant} and through <= :through`)
  const insert = db.prepare('insert into removals values (:kind, :environment, :through, :at)')

  function write(reach: readonly Announced[], now: number): void {
    const at = Math.max(now, (latest.get() ?? 0) + 1)
    for (const one of reach) {
      removeCovered.run(one)
      insert.run({ ...one, at })
    }
  }

  return {
    announceBefore: write,
    announceAfter(reach, now) {
      const isNew = (one: Announced) => isAnnounced.get(one) === undefined
      write(reach.filter(isNew), now)
    },
  }
}

/** Readers before this position get a gap reported, whatever kinds and environment they read. Inside a transaction. */
export function announceLoss(db: Connection, through: number, now: number): void {
  createAnnouncements(db).announceAfter([{ ...ALL, through }], now)
}
