import type { EventPage } from '../../domain/event-record.ts'
import type { StoreReader } from '../../domain/store.ts'

type EventReader = Pick<StoreReader, 'listEvents'>

/**
 * Reads events from the store. Equal reads that begin before the event loop handles anything else are one read with one page, which no caller may change:
 * one event wakes all its pollers at once. What a caller may see is part of the filter, so callers with equal filters may see the same.
 *
 * A later read is never answered by an earlier one: results of the writer arrive between the two, so a page misses no event that its caller knows of.
 */
export function shareReads(store: EventReader): EventReader {
  const reads = new Map<string, Promise<EventPage>>()
  return {
    listEvents(filter, limit) {
      // Searches do not wait.
      if (filter.search !== undefined) return store.listEvents(filter, limit)
      const key = JSON.stringify([limit, filter])
      const known = reads.get(key)
      if (known !== undefined) return known
      const page = store.listEvents(filter, limit)
      // Runs after the microtasks of the woken pollers, and before the next message or request.
      if (reads.size === 0) process.nextTick(() => reads.clear())
      reads.set(key, page)
      return page
    },
  }
}
