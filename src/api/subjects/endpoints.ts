import type { EventWithBody } from '../../domain/event-record.ts'
import type { EventMask } from '../../domain/masking/event-mask.ts'
import { MASK } from '../../domain/masking/mask-json.ts'
import { cursorAfter } from '../../domain/public-id.ts'
import type { SearchQuery } from '../../domain/search/search-query.ts'
import { listSubjects } from '../../domain/subject-list.ts'
import { invalidRequest } from '../../platform/errors.ts'
import { type ReaderFor, seesMasked } from '../auth/store-scope.ts'
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
import { searchOf } from '../events/search-pages.ts'
import type { Handlers } from '../http/contract.ts'
import { served } from '../http/served.ts'
import { SUBJECT_LISTS } from './contract.ts'
import { subjectView } from './view.ts'

export interface SubjectParts {
  readonly storeFor: ReaderFor
  /** For clients with `support.read` alone. */
  readonly mask: EventMask
  readonly hints: HintOptions
  readonly now: () => number
  readonly nextProbeOf: NextProbeOf
}

const LISTS: Handlers<typeof SUBJECT_LISTS, SubjectParts> = {
  async listSubjects(call, { storeFor, mask, hints, now, nextProbeOf }) {
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
}

export function subjectReads(parts: SubjectParts) {
  return served(SUBJECT_LISTS, LISTS, parts)
}

/** These digits alone: a longer number that begins so is another one, and so is a telephone number that a search for words would find. */
function personOf(digits: string | undefined, search: string | undefined): SearchQuery | undefined {
  if (digits === undefined) return undefined
  if (search !== undefined) throw invalidRequest('the query is wrong', [{ parameter: 'person', words: NOT_BOTH }])
  return { words: [{ kind: 'terms', alternatives: [[{ text: digits, isPrefix: false }]] }] }
}

const NOT_BOTH = 'not with search: leave one of them out'
