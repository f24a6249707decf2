import type { z } from 'zod'
import type { Caller } from '../../domain/client.ts'
import type { EventBus } from '../../domain/event-bus.ts'
import type { EventFilter, EventPage } from '../../domain/event-record.ts'
import type { EventMask } from '../../domain/masking/event-mask.ts'
import { numberedId } from '../../domain/public-id.ts'
import type { SearchState } from '../../domain/search/search-index.ts'
import type { SearchQuery } from '../../domain/search/search-query.ts'
import type { StoreReader } from '../../domain/store-reader.ts'
import { invalidRequest } from '../../platform/errors.ts'
import { given } from '../../platform/given.ts'
import type { BoundedAnswers } from '../answers/bounded-answers.ts'
import { eventFilterFor, type ReaderFor, seesForeignDeliveries, seesMasked, viewOf } from '../auth/store-scope.ts'
import type { Call, Reply } from '../http/endpoint.ts'
import type { TraitsMemory } from '../http/filter-hint.ts'
import { backwardPages, gapAwarePages, NEW_READER, type ReaderPages } from './gap-aware-pages.ts'
import { type LongPollRegistry, waiterOf } from './long-polls.ts'
import { shortNumberOf, shownWith, WHOLE_WORDS, wholeWords } from './masked-search.ts'
import { maskedTexts } from './masked-view.ts'
import { answerText, firstPage, fitAnswer } from './page.ts'
import type { eventQuerySchema } from './schema.ts'
import { searchHint, searchPages } from './search-pages.ts'
import { eventText } from './serializer.ts'
import { sharedTexts } from './shared-reads.ts'
import { startPosition } from './start-position.ts'

/** How requests wait for events. */
export interface PollingOptions {
  readonly bus: Pick<EventBus, 'subscribe'>
  readonly waiting: Pick<LongPollRegistry, 'wait' | 'notify'>
}

/** What hints are made of. */
export interface HintOptions {
  readonly traits: TraitsMemory
  /** Configured kinds of callbacks. */
  readonly kinds: readonly string[]
}

export interface EventListOptions extends PollingOptions {
  readonly answers: Pick<BoundedAnswers, 'endTurn'>
  readonly hints: HintOptions
  readonly storeFor: ReaderFor
  /** For clients with `support.read` alone. */
  readonly mask: EventMask
  readonly now: () => number
}

type ListCall = Call<z.output<typeof eventQuerySchema>>

/** The two operations of `GET /v1/events`: the list, for which a request may wait, and the search in what is stored. */
export function createEventLists({ storeFor, mask, now, bus, waiting, answers, hints }: EventListOptions) {
  const maskedText = maskedTexts(mask)

  /** @param whyEmpty for a page that has no events, and none behind it */
  async function replyWith(
    call: ListCall,
    { store, pages, page, whyEmpty }: Listed & { readonly whyEmpty: () => Promise<string | null> },
  ): Promise<Reply<never>> {
    const textOf = seesMasked(call) ? maskedText : eventText
    const withDeliveries = () => sharedTexts(store, page, { view: viewOf(call), textOf })
    const fitted = fitAnswer(page, call.query.include === undefined ? textOf : await withDeliveries())
    const isEmpty = fitted.texts.length === 0 && !fitted.more
    return { jsonText: answerText(fitted, pages, isEmpty ? await whyEmpty() : null) }
  }

  /** The subscription begins before the first read: no event is missed. */
  async function waitForPage(
    call: ListCall,
    {
      filter,
      read,
      from,
    }: { readonly filter: EventFilter; readonly read: ReaderPages['read']; readonly from: () => Promise<number> },
  ): Promise<EventPage> {
    const waiter = waiterOf(call, { waiting, answers }, { waitMs: call.query.wait * 1000, name: null })
    const unsubscribe = bus.subscribe(filter, waiter.wake)
    try {
      return await firstPage(read, await from(), waiter)
    } finally {
      unsubscribe()
      waiter.end()
    }
  }

  async function whyNone(call: ListCall, asked: EventFilter, store: StoreReader): Promise<string | null> {
    return (await hintFor(call, asked, hints)) ?? (await destinationHint(call, asked, store))
  }

  return {
    /** @throws PortariaError `gone` once for events that were removed before they were read */
    async list(call: ListCall): Promise<Reply<never>> {
      const { limit, after: start, wait, order } = call.query
      const isBackward = order === 'desc'
      if (isBackward && wait > 0) throw invalidRequest('the query is wrong', [{ parameter: 'wait', words: NO_WAIT }])
      const asked = filterIn(call)
      if (asked.delivery !== undefined && wait > 0)
        throw invalidRequest('the query is wrong', [{ parameter: 'wait', words: NOT_BY_DELIVERY }])
      const filter = boundedFilter(call, asked)
      const store = storeFor(call)
      const gapsReportedAt = gapsKnownAt(start)
      if (isBackward && filter.delivery !== undefined) {
        const found = searchPages(store, { filter, limit }, gapsReportedAt)
        const page = await found.read(await newestBefore(store, start))
        return replyWith(call, { store, pages: found, page, whyEmpty: () => whyNone(call, asked, store) })
      }
      const pages = isBackward
        ? backwardPages(store, { filter, limit }, gapsReportedAt)
        : gapAwarePages(store, { filter, limit }, { gapsReportedAt, advice: GONE })
      const from = () => (isBackward ? newestBefore(store, start) : startPosition(store, start))
      const page = await waitForPage(call, { filter, read: pages.read, from })
      return replyWith(call, { store, pages, page, whyEmpty: () => whyNone(call, asked, store) })
    },
    /** Newest first. A reader of masked events finds whole words, and a short number alone as a subject. */
    async search(call: ListCall, typed: SearchQuery): Promise<Reply<never>> {
      const { limit, after: start } = call.query
      const { asked, isShown } = searchedBy(call, typed, mask)
      const filter = boundedFilter(call, asked)
      const store = storeFor(call)
      const pages =
        asked.search === undefined
          ? backwardPages(store, { filter, limit }, gapsKnownAt(start))
          : searchPages(store, { filter, limit, isShown }, gapsKnownAt(start))
      const page = await pages.read(await newestBefore(store, start))
      const whyEmpty = async () =>
        (await whyNone(call, asked, store)) ?? (await whyNotFound(call, typed, () => store.readSearchState(now())))
      return replyWith(call, { store, pages, page, whyEmpty })
    },
  }
}

interface Listed {
  readonly store: StoreReader
  readonly pages: ReaderPages
  readonly page: EventPage
}

type Start = ListCall['query']['after']

/** What selects events in a request. */
export type FilterCall = Caller & {
  readonly query: Omit<ListCall['query'], 'after' | 'limit' | 'wait' | 'order' | 'include' | 'search'>
}

/**
 * The filter of a search, without the restriction to the client's environment, and which of its events the caller sees; undefined: all of them. A short
 * number of a masked caller is a subject, and no search.
 */
export function searchedBy(call: FilterCall, typed: SearchQuery, mask: EventMask) {
  if (!seesMasked(call)) return { asked: filterIn(call, { search: typed }) }
  const number = call.query.subject === undefined ? shortNumberOf(typed) : null
  if (number !== null) return { asked: filterIn(call, { subject: number }) }
  const { query, shown } = wholeWords(typed)
  return { asked: filterIn(call, { search: query }), isShown: shownWith(shown, mask) }
}

/** Why a search found nothing, as far as it can be said; null: the value is not there. */
export async function whyNotFound(
  caller: Caller,
  typed: SearchQuery,
  readState: () => Promise<SearchState>,
): Promise<string | null> {
  return seesMasked(caller) ? WHOLE_WORDS : searchHint(typed, await readState())
}

/** The filter that the request names, without the restriction to the client's environment. */
export function filterIn({ query }: FilterCall, changes: Pick<EventFilter, 'search' | 'subject'> = {}): EventFilter {
  const { kind: kinds, from: receivedFrom, to: receivedTo, institution, environment, subject, status } = query
  const { deliveryState: states, destination } = query
  const isByDelivery = states !== undefined || destination !== undefined
  const delivery = isByDelivery ? given({ states, destination }) : undefined
  const ofEvent = { kinds, receivedFrom, receivedTo, institution, environment, subject, status }
  return given({ ...ofEvent, delivery, ...changes })
}

/** Payloads that are masked for one answer. Eight times as many take 60 MiB more memory and keep other requests waiting for 25 ms. */
const MASKED_BYTES = 512 * 1024

/** What the caller may see of what it asks for. Masking reads each payload several times. */
export function boundedFilter(call: Caller, asked: EventFilter): EventFilter {
  const filter = eventFilterFor(call, asked)
  return seesMasked(call) ? { ...filter, mostBytes: MASKED_BYTES } : filter
}

function gapsKnownAt(start: Start): number {
  return typeof start === 'object' ? start.gapsReportedAt : NEW_READER
}

/** Where a backward reader begins. */
export async function newestBefore(store: StoreReader, start: Start): Promise<number> {
  return (await startPosition(store, start ?? 'latest')) + 1
}

/** For an empty answer. @param asked the filter of the request, without the restriction to the client's environment */
export function hintFor(caller: Caller, asked: EventFilter, { traits, kinds }: HintOptions): Promise<string | null> {
  // A hint names statuses, which may be masked.
  const { status: _status, ...unmasked } = asked
  return traits.hintFor(seesMasked(caller) ? unmasked : asked, kinds, eventFilterFor(caller, {}).environment)
}

/** For a destination that does not exist; null: it does, or the caller sees deliveries to destinations that it cannot list. */
async function destinationHint(caller: Caller, { delivery }: EventFilter, store: StoreReader): Promise<string | null> {
  const asked = delivery?.destination
  if (asked === undefined || seesForeignDeliveries(caller)) return null
  const known = await store.listDestinations({ removed: true })
  return known.some(({ id, name }) => name === asked || numberedId('dst', id) === asked)
    ? null
    : `no destination has name '${asked.slice(0, 64)}'`
}

const GONE = [
  'events after this cursor are gone before they were read (retention removed them, or a backup was restored):',
  'continue with "next" of this answer, which skips no event that is still stored',
].join(' ')

const NOT_BY_DELIVERY = 'not with deliveryState or destination, which find what is stored: leave it out'

const NO_WAIT = 'not with order=desc, which reads back from the newest event: wait for new events with order=asc'
