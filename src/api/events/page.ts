import type { EventPage } from '../../domain/event-record.ts'
import type { Waiter } from './long-polls.ts'
import { type EventTextOf, eventText } from './serializer.ts'

/** Maximum size of the events in an answer; the first event is always included. */
const ANSWER_BYTES = 4 * 1024 * 1024

/** Events as JSON texts, and the position after which the next page starts. */
export interface EventTexts {
  readonly texts: readonly string[]
  readonly next: number
  readonly more: boolean
  readonly removed: EventPage['removed']
}

/** The first events of a page, as many as fit into one answer. @param textOf the JSON text of an event */
export function fitAnswer({ events, next, more, removed }: EventPage, textOf: EventTextOf = eventText): EventTexts {
  const texts: string[] = []
  let bytes = 0
  let last = next
  for (const event of events) {
    const text = textOf(event)
    bytes += Buffer.byteLength(text) + 1
    if (texts.length > 0 && bytes > ANSWER_BYTES) return { texts, next: last, more: true, removed }
    texts.push(text)
    last = event.position
  }
  return { texts, next, more, removed }
}

/**
 * The first page after a position that has events, as soon as there is one. After the wait: an empty page, whose `next` is after all events that the
 * filter skipped.
 */
export async function firstPage(
  read: (after: number) => Promise<EventPage>,
  after: number,
  { next }: Pick<Waiter, 'next'>,
): Promise<EventPage> {
  let page = await read(after)
  while (page.events.length === 0) {
    const waited = page.more ? 'woken' : await next()
    if (waited === 'aborted') break
    page = await read(page.next)
    if (waited === 'over') break
  }
  return page
}
