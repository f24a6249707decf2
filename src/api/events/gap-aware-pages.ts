import type { EventFilter, EventPage } from '../../domain/event-record.ts'
import { cursorAfter } from '../../domain/public-id.ts'
import type { StoreReader } from '../../domain/store.ts'
import { PortariaError } from '../../platform/errors.ts'

/** Whoever begins misses nothing that was removed before. */
export const BEGINS = Number.POSITIVE_INFINITY

/** Pages of events for one asker, who is told once of what retention removed before it could be read. */
export interface GapAwarePages {
  /** @throws PortariaError `gone` with the cursor that leads on */
  read(after: number): Promise<EventPage>
  /** Removals announced up to then are known to the asker. */
  gapsReportedAt(): number
  cursorBehind(page: Pick<EventPage, 'next' | 'removed'>): string
}

/** @param words what to do, where something is missed */
export function gapAwarePages(
  store: Pick<StoreReader, 'listEvents'>,
  wanted: { readonly filter: EventFilter; readonly limit: number },
  { gapsReportedAt, words }: { readonly gapsReportedAt: number; readonly words: string },
): GapAwarePages {
  const { filter, limit } = wanted
  let known = gapsReportedAt
  return {
    async read(after) {
      const page = await store.listEvents({ ...filter, after, gapsReportedAt: known }, limit)
      const { isMissed, announcedAt } = page.removed
      if (isMissed) throw new PortariaError('gone', words, { next: cursorAfter(after, announcedAt) })
      known = Math.min(known, announcedAt)
      return page
    },
    gapsReportedAt: () => known,
    // Once all that was removed is behind it, there is nothing left to be told.
    cursorBehind: ({ next, removed }) => cursorAfter(next, removed.through > next ? known : 0),
  }
}
