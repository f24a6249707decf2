import type { EventPage, EventWithBody } from '../../domain/event-record.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import type { EventTextOf } from './serializer.ts'

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

const textsOfPages = new WeakMap<EventPage, Map<string, Promise<EventTextOf>>>()

interface TextOptions {
  /** What the caller may see, from `viewOf`. */
  readonly view: string
  readonly textOf: EventTextOf
}

/** Writes events with the number of their deliveries in each state. Callers that share a page and may see the same share the read and the texts, too. */
export function sharedTexts(
  store: Pick<StoreReader, 'countEventDeliveries'>,
  page: EventPage,
  { view, textOf }: TextOptions,
): Promise<EventTextOf> {
  const known = textsOfPages.get(page) ?? new Map<string, Promise<EventTextOf>>()
  const texts = known.get(view) ?? textsWithDeliveries(store, page, textOf)
  textsOfPages.set(page, known.set(view, texts))
  return texts
}

async function textsWithDeliveries(
  store: Pick<StoreReader, 'countEventDeliveries'>,
  { events }: EventPage,
  textOf: EventTextOf,
): Promise<EventTextOf> {
  const counted = await store.countEventDeliveries(events.map(({ position }) => position))
  const counts = new Map(counted.map((one) => [one.position, one.counts]))
  return function textWithDeliveries(event: EventWithBody) {
    return `${textOf(event).slice(0, -1)},"deliveries":${JSON.stringify(counts.get(event.position))}}`
  }
}
