import type { EventFilter, EventWithBody } from '../../src/domain/event-record.ts'
import { parseSearch, type SearchTerm, type SearchWord } from '../../src/domain/search/search-query.ts'
import { SEARCH_ALL } from '../../src/domain/search/search-rule.ts'
import { SEARCH_TASKS, type SearchTask } from '../../src/domain/search/search-work.ts'
import { termsOf } from '../../src/domain/search/terms.ts'
import type { Store } from '../../src/domain/store.ts'
import type { StoreReader } from '../../src/domain/store-reader.ts'

const MOST_CHANGES = 10_000

/** Performs the tasks of the index until none has work left. Returns the number of changes. */
export async function indexAll(
  store: Store,
  tasks: readonly SearchTask[] = SEARCH_TASKS,
  limit = 1000,
): Promise<number> {
  let changes = 0
  for (const task of tasks)
    for (;;) {
      if ((await store.workOnSearch(task, { limit })) === null) break
      if (++changes > MOST_CHANGES) throw new Error('the work has no end: changes are refused')
    }
  return changes
}

/** The events of all pages of a search, newest first. */
export async function searchAll(
  store: Pick<StoreReader, 'listEvents'>,
  text: string,
  { limit = 100, ...filter }: EventFilter & { limit?: number } = {},
): Promise<EventWithBody[]> {
  const events: EventWithBody[] = []
  const search = parseSearch(text)
  let before = filter.before
  for (;;) {
    const page = await store.listEvents(
      { ...filter, ...(before !== undefined && { before }), search, newestFirst: true },
      limit,
    )
    events.push(...page.events)
    if (!page.more) return events
    before = page.next
  }
}

/** The same for events that a caller has listed, by their terms. */
export function scan(events: readonly EventWithBody[], text: string): EventWithBody[] {
  const { words } = parseSearch(text)
  return events
    .filter((event) => event.payloadRemovedAt === null)
    .filter((event) => {
      const terms = [...termsOf(event, SEARCH_ALL)]
      return words.every((word) => isMatch(word, event, terms))
    })
    .sort((one, other) => other.position - one.position)
}

function isMatch(word: SearchWord, event: EventWithBody, terms: readonly string[]): boolean {
  if (word.kind === 'deliveries') throw new Error('a scan knows no deliveries')
  if (word.kind === 'positions')
    return word.ranges.some(({ from, to }) => event.position >= from && event.position <= to)
  return word.alternatives.some((all) => all.every((term) => hasTerm(terms, term)))
}

function hasTerm(terms: readonly string[], { text, isPrefix }: SearchTerm): boolean {
  return terms.some((term) => (isPrefix ? term.startsWith(text) : term === text))
}
