import type { EventPage } from '../../domain/event-record.ts'
import type { ReaderPages } from './gap-aware-pages.ts'
import type { Waiter } from './long-polls.ts'
import { type EventTextOf, eventText } from './serializer.ts'

/** Maximum size of the events in an answer, and of the payloads that are read for it; the first event is always included. */
export const ANSWER_BYTES = 4 * 1024 * 1024

/** Events as JSON texts, and the position after which the next page starts. */
export interface EventTexts {
  readonly texts: readonly string[]
  readonly next: number
  readonly more: boolean
  readonly removed: EventPage['removed']
}

/** Readers share pages (`shareReads`), so they also share the texts: a form of the events is a function. */
const fittedPages = new WeakMap<EventPage, Map<EventTextOf, EventTexts>>()

/**
 * The first events of a page, as many as fit into one answer. The same object for the same page and `textOf`.
 * @param textOf the JSON text of an event
 */
export function fitAnswer(page: EventPage, textOf: EventTextOf = eventText): EventTexts {
  const forms = fittedPages.get(page) ?? new Map<EventTextOf, EventTexts>()
  const known = forms.get(textOf)
  if (known !== undefined) return known
  const fitted = fittingTexts(page, textOf)
  fittedPages.set(page, forms.set(textOf, fitted))
  return fitted
}

function fittingTexts({ events, next, more, removed }: EventPage, textOf: EventTextOf): EventTexts {
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

/** From this size on, answers share bytes instead of a text, which each connection would encode into bytes of its own. */
const SHARED_BYTES = 16 * 1024

interface Answer {
  readonly gapsReportedAt: number
  readonly hint: string | null
  readonly text: string | Buffer
}

const answers = new WeakMap<EventTexts, Answer>()

/** The JSON text of an answer, or its bytes. Readers with the same page that know of the same removals share it. */
export function answerText(
  fitted: EventTexts,
  pages: Pick<ReaderPages, 'gapsReportedAt' | 'cursorBehind'>,
  hint: string | null,
): string | Buffer {
  const gapsReportedAt = pages.gapsReportedAt()
  const known = answers.get(fitted)
  if (known?.gapsReportedAt === gapsReportedAt && known.hint === hint) return known.text
  const rest = JSON.stringify({ next: pages.cursorBehind(fitted), more: fitted.more, ...(hint !== null && { hint }) })
  const answer = `{"data":[${fitted.texts.join(',')}],${rest.slice(1)}`
  const text = answer.length < SHARED_BYTES ? answer : Buffer.from(answer)
  answers.set(fitted, { gapsReportedAt, hint, text })
  return text
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
