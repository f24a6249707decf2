import type { EventFilter, EventPage, EventWithBody } from '../../../domain/event-record.ts'
import type { NumberRange, SearchQuery } from '../../../domain/search/search-query.ts'
import type { Positions } from '../../rules/event-page.ts'
import { BY_INDEX } from '../database/by-index.ts'
import type { Sql } from '../database/sql.ts'
import { type EventSource, findEvents, listEvents, positionAt, type Selection } from '../events/event-queries.ts'
import { BLOCK, blockOf, queryOf, rareWords, type TermWord, wordOfPeriod, wordsOfFilter } from './lexemes.ts'

/** A page is short when the search has taken this long. */
const SLICE_MS = 50
/** Deliveries of which a search for their number shows the events. */
const DELIVERIES = 10_000
/** Candidates that are looked at together. */
const CANDIDATES = 100
/** Found at once in the index. */
const FOUND_AT_ONCE = 2000
/** The first look is into the newest block alone, each next one into four times as many, up to this. */
const MOST_BLOCKS = 64

type SearchedFilter = EventFilter & { readonly search: SearchQuery }

/** Always newest first. Events that are not in the index yet are found by ids only. */
export async function searchEvents(sql: Sql, filter: SearchedFilter, limit: number): Promise<EventPage> {
  const { search, ...rest } = filter
  const listed: EventFilter = { ...rest, newestFirst: true }
  return listEvents(sql, listed, limit, (range, source) => matches(source, { ...listed, search }, range, limit))
}

/** The events that match, newest first; a number: so far down it has looked, and its time is over. */
async function* matches(
  source: EventSource,
  filter: SearchedFilter,
  range: Positions,
  limit: number,
): AsyncGenerator<EventWithBody | number> {
  const { sql } = source
  const until = performance.now() + SLICE_MS
  const { words } = filter.search
  const terms = words.flatMap((word) => (word.kind === 'terms' ? [word.alternatives] : []))
  const ids = conditionsOfIds(filter.search)
  if (terms.length === 0) {
    for (const part of partsOf(filter.search, range)) yield* findEvents(source, filter, part, limit + 1, ids)
    return
  }
  const from = filter.receivedFrom === undefined ? 0 : (await positionAt(sql, filter.receivedFrom)) + 1
  const bounds = { from: Math.max(from, range.from), to: range.to }
  const all = [...terms, ...wordsOfFilter(filter), ...(await wordsOfPeriod(sql, filter))]
  await sql.run(BY_INDEX)
  let blocks = 1
  for (let to = bounds.to; to >= bounds.from; blocks = Math.min(4 * blocks, MOST_BLOCKS)) {
    const lowest = Math.max(bounds.from, (blockOf(to) - blocks + 1) * BLOCK)
    const found = await findPositions(sql, all, { from: lowest, to })
    const end = found.length === FOUND_AT_ONCE ? (found.at(-1) as number) : lowest
    for (let at = 0; at < found.length; at += CANDIDATES) {
      const positions = found.slice(at, at + CANDIDATES)
      yield* findEvents(source, filter, { from: lowest, to }, CANDIDATES, {
        where: [...ids.where, 'e.id = any(:positions::bigint[])'],
        values: { ...ids.values, positions },
      })
      if (performance.now() > until) return yield positions.at(-1) as number
    }
    to = end - 1
    if (performance.now() > until && to >= bounds.from) return yield end
  }
}

/** Positions that the index has under these words, newest first. */
async function findPositions(sql: Sql, words: readonly TermWord[], { from, to }: Positions): Promise<number[]> {
  const rare = rareWords(words)
  const isReduced = rare.flat(2).length < words.flat(2).length
  const queries: string[] = []
  const compared: (string | null)[] = []
  for (let block = blockOf(to); block >= blockOf(from); block--) {
    queries.push(queryOf(block, rare))
    compared.push(isReduced ? queryOf(block, words) : null)
  }
  const rows = await sql.all<{ id: number }>(
    `select s.event_id as id from unnest(:queries::text[], :compared::text[]) as q (text, compared)
      cross join lateral (
        select event_id from search_terms where terms @@ q.text::tsquery and (q.compared is null or (terms @@ q.compared::tsquery) is true)) s
    where s.event_id + 0 between :from and :to order by s.event_id desc limit ${FOUND_AT_ONCE}`,
    { queries, compared, from, to },
  )
  return rows.map(({ id }) => id)
}

/** A longer one has so many terms that they find nothing sooner. */
const LONGEST_PERIOD_MS = 5 * 366 * 86_400_000

async function wordsOfPeriod(sql: Sql, { receivedFrom, receivedTo }: EventFilter) {
  if (receivedTo === undefined) return []
  const stored = await sql.get<{ from: number | null; to: number | null }>(
    'select min(earliest) as "from", max(latest) as "to" from event_blocks',
  )
  const from = Math.max(receivedFrom ?? 0, stored?.from ?? 0)
  const to = Math.min(receivedTo, stored?.to ?? 0)
  // The rows are compared with the period in any case.
  return from > to || to - from > LONGEST_PERIOD_MS ? [] : [wordOfPeriod(from, to)]
}

/** What the words ask of ids. */
function conditionsOfIds({ words }: SearchQuery): Selection {
  const where: string[] = []
  const values: Record<string, number | string> = {}
  words.forEach((word, n) => {
    if (word.kind === 'terms') return
    const column = word.kind === 'positions' ? 'e.id' : 'd.id'
    const isInside = word.ranges.map(({ from, to }, at) => {
      values[`from${n}_${at}`] = from
      values[`to${n}_${at}`] = to
      return `${column} between :from${n}_${at} and :to${n}_${at}`
    })
    const either = `(${isInside.join(' or ')})`
    if (word.kind === 'positions') where.push(either)
    else
      where.push(
        `e.id in (select event_id from (select d.event_id from deliveries d where ${either} order by d.id limit ${DELIVERIES}) found)`,
      )
    if (word.kind === 'positions' && word.noncePrefix !== null) {
      where.push(`starts_with(e.nonce, :nonce${n})`)
      values[`nonce${n}`] = word.noncePrefix
    }
  })
  return { where, values }
}

/** The parts of the range that hold the positions of a search for ids, newest first. */
function partsOf({ words }: SearchQuery, range: Positions): Positions[] {
  const ranges = words.flatMap((word) => (word.kind === 'positions' ? [word.ranges] : []))[0] ?? [range]
  return [...ranges]
    .sort((one: NumberRange, other: NumberRange) => other.to - one.to)
    .map(({ from, to }) => ({ from: Math.max(from, range.from), to: Math.min(to, range.to) }))
    .filter(({ from, to }) => from <= to)
}
