import type { EventFilter, EventPage } from '../../domain/event-record.ts'
import { cursorAfter } from '../../domain/public-id.ts'
import type { StoreReader } from '../../domain/store.ts'
import { PortariaError } from '../../platform/errors.ts'

/** For a reader without a cursor: removals before its first request are no gaps for it. */
export const NEW_READER = Number.POSITIVE_INFINITY

/** Pages of events for one reader, who learns once of events that retention removed before they were read. */
export interface GapAwarePages {
  /** @throws PortariaError `gone` with the cursor that continues after the gap */
  read(after: number): Promise<EventPage>
  /** The reader knows of removals announced until then. */
  gapsReportedAt(): number
  /** The reader's next cursor. */
  cursorBehind(page: Pick<EventPage, 'next' | 'removed'>): string
}

/** @param advice the text of `gone`: what the reader should do about a gap */
export function gapAwarePages(
  store: Pick<StoreReader, 'listEvents'>,
  wanted: { readonly filter: EventFilter; readonly limit: number },
  { gapsReportedAt, advice }: { readonly gapsReportedAt: number; readonly advice: string },
): GapAwarePages {
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
