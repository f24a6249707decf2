import type { EventFilter, EventPage } from '../../domain/event-record.ts'
import { cursorAfter } from '../../domain/public-id.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { PortariaError } from '../../platform/errors.ts'

/** For a reader without a cursor: removals before its first request are no gaps for it. */
export const NEW_READER = Number.POSITIVE_INFINITY

/** Pages of events for one reader. */
export interface ReaderPages {
  /** The page that starts at a position. */
  read(position: number): Promise<EventPage>
  /** The reader knows of removals announced until then. */
  gapsReportedAt(): number
  /** The reader's next cursor. */
  cursorBehind(page: Pick<EventPage, 'next' | 'removed'>): string
}

interface Wanted {
  readonly filter: EventFilter
  readonly limit: number
}

/**
 * Oldest first. The reader learns once of events that retention removed before they were read: `read` throws PortariaError `gone` with the cursor that
 * continues after the gap.
 * @param advice the text of `gone`: what the reader should do about a gap
 */
export function gapAwarePages(
  store: Pick<StoreReader, 'listEvents'>,
  wanted: Wanted,
  { gapsReportedAt, advice }: { readonly gapsReportedAt: number; readonly advice: string },
): ReaderPages {
  const { filter, limit } = wanted
  let reportedAt = gapsReportedAt
  return {
    async read(after) {
      const page = await store.listEvents({ ...filter, after, gapsReportedAt: reportedAt }, limit)
      const { isMissed, announcedAt } = page.removed
      if (isMissed) throw new PortariaError('gone', advice, { next: cursorAfter(after, announcedAt) })
      reportedAt = Math.min(reportedAt, announcedAt)
      return page
    },
    gapsReportedAt: () => reportedAt,
    // After the last removed event there is no gap left to report, and the cursor stays short.
    cursorBehind: ({ next, removed }) => cursorAfter(next, removed.through > next ? reportedAt : 0),
  }
}

/**
 * Newest first; positions are those before which a page starts. Reports no gaps: nothing that a backward reader has not read is still to come, and
 * removed events are only missing. A cursor is between two events, so a reader can turn round at it.
 */
export function backwardPages(
  store: Pick<StoreReader, 'listEvents'>,
  { filter, limit }: Wanted,
  gapsReportedAt: number,
): ReaderPages {
  let reportedAt = gapsReportedAt
  return {
    async read(before) {
      const page = await store.listEvents({ ...filter, before, newestFirst: true }, limit)
      // For a reader that turns round: a later removal is a gap for it.
      reportedAt = Math.min(reportedAt, page.removed.announcedAt)
      return page
    },
    gapsReportedAt: () => reportedAt,
    cursorBehind: ({ next }) => cursorAfter(Math.max(0, next - 1), reportedAt),
  }
}
