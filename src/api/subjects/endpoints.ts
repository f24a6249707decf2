import type { EventWithBody } from '../../domain/event-record.ts'
import type { EventMask } from '../../domain/masking/event-mask.ts'
import { MASK } from '../../domain/masking/mask-json.ts'
import { cursorAfter } from '../../domain/public-id.ts'
import { parseSearch, type SearchQuery } from '../../domain/search/search-query.ts'
import { listSubjects } from '../../domain/subject-list.ts'
import { invalidRequest } from '../../platform/errors.ts'
import { type StoreFor, seesMasked } from '../auth/store-scope.ts'
import type { NextProbeOf } from '../deliveries/view.ts'
import {
  boundedFilter,
  filterIn,
  type HintOptions,
  hintFor,
  newestBefore,
  searchedBy,
  whyNotFound,
} from '../events/event-lists.ts'
import { wholeWords } from '../events/masked-search.ts'
import { searchOf } from '../events/search-pages.ts'
import { endpoint } from '../http/endpoint.ts'
import { subjectPageSchema, subjectQuerySchema } from './schema.ts'
import { subjectView } from './view.ts'

export interface SubjectEndpointsOptions {
  readonly storeFor: StoreFor
  /** For clients with `support.read` alone. */
  readonly mask: EventMask
  readonly hints: HintOptions
  readonly now: () => number
  readonly nextProbeOf: NextProbeOf
}

export function subjectEndpoints({ storeFor, mask, hints, now, nextProbeOf }: SubjectEndpointsOptions) {
  const listing = endpoint({
    tag: 'Events',
    errors: 'problem',
    method: 'get',
    path: '/v1/subjects',
    access: ['events.read', 'support.read'],
    summary: 'List payments, charges and registrations as they are now',
    description: [
      'Each subject once, newest change first, with its newest events and their deliveries. A subject is listed where one event of it has all that the query',
      'asks for; `status` is that of the newest event. `next` continues with older ones, until `more` is false: a page may be short or empty before that.',
      'A subject that changes meanwhile moves to the first page.',
    ].join(' '),
    query: subjectQuerySchema,
    answers: {
      200: { description: 'A page of subjects.', schema: subjectPageSchema },
      503: { description: 'The store is unavailable, or too many requests are waiting.' },
    },
    async run(call) {
      const { limit, after, search, person } = call.query
      const typed = personOf(person, search) ?? searchOf({ search, wait: 0, after })
      const { asked, isShown } = typed === undefined ? { asked: filterIn(call) } : searchedBy(call, typed, mask)
      const store = storeFor(call)
      const isMasked = seesMasked(call)
      const filter = { ...boundedFilter(call, asked), before: await newestBefore(store, after) }
      const isNamed = (event: EventWithBody) => mask(event).subject !== MASK
      const page = await listSubjects(store, filter, {
        limit,
        ...(isShown && { isShown }),
        ...(isMasked && { isNamed }),
      })
      const data = page.subjects.map((one) => subjectView(one, { mask: isMasked ? mask : null, nextProbeOf }))
      const next = cursorAfter(Math.max(0, page.next - 1))
      if (data.length > 0 || page.more) return { json: { data, next, more: page.more } }
      const readState = () => store.readSearchState(now())
      const hint =
        (await hintFor(call, asked, hints)) ?? (typed === undefined ? null : await whyNotFound(call, typed, readState))
      return { json: { data, next, more: false, ...(hint !== null && { hint }) } }
    },
  })
  return { listSubjects: listing }
}

/** A longer number that begins with the digits is another one. */
function personOf(digits: string | undefined, search: string | undefined): SearchQuery | undefined {
  if (digits === undefined) return undefined
  if (search !== undefined) throw invalidRequest('the query is wrong', [{ parameter: 'person', words: NOT_BOTH }])
  return wholeWords(parseSearch(digits)).query
}

const NOT_BOTH = 'not with search: leave one of them out'
