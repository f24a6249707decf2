import type { EventFilter, EventPage, EventWithBody } from '../../domain/event-record.ts'
import type { SearchState } from '../../domain/search/search-index.ts'
import { parseSearch, type SearchQuery } from '../../domain/search/search-query.ts'
import { PREFIX_LENGTH } from '../../domain/search/words.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { invalidRequest, PortariaError, type Violation } from '../../platform/errors.ts'
import { backwardPages, type ReaderPages } from './gap-aware-pages.ts'
import { ANSWER_BYTES } from './page.ts'

/**
 * Calls of the store for one page, each of which works for a bounded time. Then a page may be short or empty, and its `next` continues.
 * A search with a rare word needs one or two.
 */
const CALLS = 20

interface SearchRequest {
  readonly search?: string | undefined
  readonly order?: 'asc' | 'desc' | undefined
  readonly wait: number
  readonly after?: object | 'latest' | undefined
}

/** @throws PortariaError `request_invalid` for a search that cannot be read, and with parameters that contradict one */
export function searchOf({ search, order, wait, after }: SearchRequest): SearchQuery | undefined {
  if (search === undefined) return undefined
  const violations: Violation[] = []
  if (order === 'asc') violations.push({ parameter: 'order', words: NEWEST_FIRST })
  if (wait > 0) violations.push({ parameter: 'wait', words: NO_WAIT })
  if (after === 'latest') violations.push({ parameter: 'after', words: NO_LATEST })
  const query = read(search, violations)
  if (query === null || violations.length > 0) throw invalidRequest('the query is wrong', violations)
  return query
}

const NEWEST_FIRST = 'not with search, which answers newest first: leave order out'
const NO_WAIT = 'not with search, which finds what is stored: wait for new events with the other filters'
const NO_LATEST = 'not with search: leave it out to begin with the newest event, or write "next" of an earlier answer'

function read(search: string, violations: Violation[]): SearchQuery | null {
  try {
    return parseSearch(search)
  } catch (error) {
    if (!(error instanceof PortariaError)) throw error
    violations.push({ parameter: 'search', words: error.message })
    return null
  }
}

interface WantedSearch {
  readonly filter: EventFilter
  readonly limit: number
  /** Leaves out events as if they did not exist; undefined: none. */
  readonly isShown?: ((event: EventWithBody) => boolean) | undefined
}

/** Events that one call reads at least, where some are left out: their number must not show in `more`. */
const READ_AT_LEAST = 100

/** As `backwardPages`, for a search: a page has up to `limit` events, or as many as a bounded time gives. */
export function searchPages(
  store: Pick<StoreReader, 'listEvents'>,
  { filter, limit, isShown }: WantedSearch,
  gapsReportedAt: number,
): ReaderPages {
  // One more than the page has, because the next event of the store may be one that is left out.
  const wanted = isShown === undefined ? limit : limit + 1
  const leftOf = (found: number) => (isShown === undefined ? limit - found : READ_AT_LEAST)
  let left = limit
  const { mostBytes = ANSWER_BYTES } = filter
  const single: Pick<StoreReader, 'listEvents'> = { listEvents: (asked) => store.listEvents(asked, left) }
  const pages = backwardPages(single, { filter, limit }, gapsReportedAt)
  return {
    ...pages,
    async read(before) {
      const events: EventWithBody[] = []
      let bytes = 0
      let next = before
      for (let call = 1; ; call++) {
        left = leftOf(events.length)
        const page = await pages.read(next)
        events.push(...(isShown === undefined ? page.events : page.events.filter(isShown)))
        bytes += bytesOf(page.events)
        next = page.next
        if (call === CALLS || !page.more || events.length >= wanted || bytes >= mostBytes)
          return cut({ ...page, events }, limit)
      }
    },
  }
}

/** The first events of a page. */
function cut(page: EventPage, limit: number): EventPage {
  if (page.events.length <= limit) return page
  const events = page.events.slice(0, limit)
  return { ...page, events, next: events.at(-1)?.position ?? 0, more: true }
}

function bytesOf(events: readonly EventWithBody[]): number {
  return events.reduce((sum, { body }) => sum + body.length, 0)
}

/** Why a search may have found nothing, in words; null: there is nothing to say. @param state left out: the index is complete */
export function searchHint({ words }: SearchQuery, state?: SearchState): string | null {
  const hints = words.some(isShort) ? [SHORT] : []
  if (state?.isRebuilding === true) hints.push('the search index is being made again: older events may be missing')
  else if (state !== undefined && state.lagEvents > 0)
    hints.push(`the search index is ${state.lagSeconds} s behind: search again for the newest events`)
  return hints.length === 0 ? null : hints.join('; ')
}

const SHORT = `a word of fewer than ${PREFIX_LENGTH} characters matches whole words only: type more of it`

function isShort(word: SearchQuery['words'][number]): boolean {
  return word.kind === 'terms' && word.alternatives.every((terms) => terms.some(isShortTerm))
}

/** Amounts are whole, too, but complete. */
function isShortTerm({ text, isPrefix }: { readonly text: string; readonly isPrefix: boolean }): boolean {
  return !isPrefix && /^[\p{L}\p{N}]/u.test(text)
}
