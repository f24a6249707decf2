import { KINDS_BY_NAME_ONLY } from '../../domain/event.ts'
import type { EventFilter } from '../../domain/event-record.ts'
import { isInRealm, type Realm } from '../../domain/realm.ts'
import type { RemovedThrough, RetentionGap } from '../../domain/retention.ts'

export type Announced = Omit<RemovedThrough, 'environment'> & { readonly environment: Realm | '' }

export interface RemovalRow extends Announced {
  readonly announced_at: number
}

/** What retention has removed of the events that match a filter. */
export function gapIn(rows: readonly RemovalRow[], filter: EventFilter): RetentionGap {
  const { after = 0, gapsReportedAt } = filter
  const matching = rows.filter((row) => isMatching(filter, row))
  return {
    isMissed:
      gapsReportedAt !== undefined && matching.some((row) => row.through > after && row.announced_at > gapsReportedAt),
    through: Math.max(0, ...matching.map(({ through }) => through)),
    announcedAt: announcedAt(rows),
  }
}

/** When the latest removal was announced: a report now covers all removals up to this time. */
export function announcedAt(rows: readonly RemovalRow[]): number {
  return Math.max(0, ...rows.map((row) => row.announced_at))
}

function isMatching(filter: EventFilter, row: RemovalRow): boolean {
  if (row.kind === ALL.kind || row.environment === ALL.environment) return true
  const { kinds } = filter
  if (!isInRealm(filter, row.environment)) return false
  return kinds === undefined ? !KINDS_BY_NAME_ONLY.includes(row.kind) : kinds.includes(row.kind)
}

/** Means every kind and environment; no event has either. */
export const ALL = { kind: '', environment: '' } as const
