import type { EventFilter, EventPage } from '../../domain/event-record.ts'

/** A page ends at this many bytes of bodies, but has at least one event. */
export const PAGE_BYTES = 4 * 1024 * 1024

/** Positions, both included. */
export interface Positions {
  readonly from: number
  readonly to: number
}

/** The positions that a page may visit. */
export interface PageRange extends Positions {
  /** The end of a page that finds nothing more in it. */
  readonly end: Pick<EventPage, 'next' | 'more'>
}

/** @param newest the last position @param oldest of the events that are stored */
export function rangeOf(filter: EventFilter, newest: number, oldest: number): PageRange {
  const { newestFirst = false } = filter
  // Everything before the oldest was removed.
  const after = Math.max(filter.after ?? 0, oldest - 1)
  const from = after + 1
  const to = Math.min(filter.before ?? Number.POSITIVE_INFINITY, newest + 1) - 1
  // No match is left up to `newest`, so the next page may start there.
  const next = newestFirst ? 0 : Math.max(after, newest)
  return { from, to, end: { next, more: false } }
}
