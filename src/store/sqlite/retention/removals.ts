import { KINDS_BY_NAME_ONLY } from '../../../domain/event.ts'
import type { EventFilter } from '../../../domain/event-record.ts'
import type { Reach, RemovedBehind } from '../../../domain/retention.ts'
import type { Connection } from '../database/connection.ts'

type Announced = Omit<Reach, 'environment'> & { readonly environment: string }

interface RemovalRow extends Announced {
  readonly announced_at: number
}

/** What retention has removed of what somebody asks for. There are as many rows as kinds and environments. */
export function removedBehind(db: Connection, filter: EventFilter): RemovedBehind {
  const { after = 0, gapsReportedAt } = filter
  const rows = db.prepare<[], RemovalRow>('select * from removals').all()
  const asked = rows.filter((row) => isAsked(filter, row))
  return {
    isMissed:
      gapsReportedAt !== undefined && asked.some((row) => row.through > after && row.announced_at > gapsReportedAt),
    through: Math.max(0, ...asked.map(({ through }) => through)),
    announcedAt: announcedAt(rows),
  }
}

/** When the latest removal was announced: whoever is told now need not be told of it again. */
export function latestAnnouncement(db: Connection): number {
  return announcedAt(db.prepare<[], RemovalRow>('select * from removals').all())
}

interface Announcements {
  /** What is about to go. Also where more was removed before: what had stayed longer may have been read by nobody since then. */
  ahead(reach: readonly Announced[], now: number): void
  /** What goes now: only what nobody was told of ahead is told. */
  beyond(reach: readonly Announced[], now: number): void
}

/**
 * Inside the transaction. The times rise with every announcement, whatever the clock does, and are times so that they go on rising in a restored
 * backup.
 */
export function createAnnouncements(db: Connection): Announcements {
  const latest = db.prepare<[], number | null>('select max(announced_at) from removals').pluck()
  const announce = db.prepare(`
    insert into removals (kind, environment, through, announced_at) values (:kind, :environment, :through, :at)
    on conflict (kind, environment) do update set through = max(through, excluded.through), announced_at = excluded.announced_at
    where :isAhead or excluded.through > through`)

  function write(reach: readonly Announced[], now: number, isAhead: 0 | 1): void {
    const at = Math.max(now, (latest.get() ?? 0) + 1)
    for (const { kind, environment, through } of reach) announce.run({ kind, environment, through, at, isAhead })
  }

  return {
    ahead: (reach, now) => write(reach, now, 1),
    beyond: (reach, now) => write(reach, now, 0),
  }
}

/** Neither is any that events have. */
const ALL = { kind: '', environment: '' }

/** Whoever stands before this position is told that events may be lost, of whatever kind and environment. Inside a transaction. */
export function announceLoss(db: Connection, through: number, now: number): void {
  createAnnouncements(db).beyond([{ ...ALL, through }], now)
}

function announcedAt(rows: readonly RemovalRow[]): number {
  return Math.max(0, ...rows.map((row) => row.announced_at))
}

function isAsked({ kinds, environment }: EventFilter, row: RemovalRow): boolean {
  if (row.kind === ALL.kind) return true
  if (environment !== undefined && environment !== row.environment) return false
  return kinds === undefined ? !KINDS_BY_NAME_ONLY.includes(row.kind) : kinds.includes(row.kind)
}
