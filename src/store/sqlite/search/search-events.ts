import type { EventFilter, EventPage, EventWithBody } from '../../../domain/event-record.ts'
import type { NumberRange, SearchQuery, SearchWord } from '../../../domain/search/search-query.ts'
import { eventOfRow } from '../../rows/event-row.ts'
import type { Positions } from '../../rules/event-page.ts'
import { PAGE_BYTES } from '../../rules/event-page.ts'
import { filterWords } from '../../rules/filter-terms.ts'
import { periodPositions, rangesOf } from '../blocks/event-blocks.ts'
import { candidatesOf as candidatesOfSubject } from '../blocks/subject-index.ts'
import type { Connection } from '../database/connection.ts'
import { prepareOnce } from '../database/prepared.ts'
import { conditionsOf, positionsOf, prepareEvents } from '../events/event-queries.ts'
import { eventsWithDelivery } from '../rows/events-with-delivery.ts'
import { findRetentionGap } from '../rows/removals.ts'
import { createPayloads } from '../rows/rows.ts'
import { RunLookup, type TermWord } from './run-lookup.ts'
import type { SearchRun } from './search-runs.ts'

/** A page is short when the search has taken this long, so that no search delays other reads for long. */
const SLICE_MS = 25
/** Events between two looks at the clock. */
const LOOK_EVERY = 16
/** Deliveries of which a search for their number shows the events. */
const DELIVERIES = 10_000
/** A subject with more events is compared event by event. */
const SUBJECT_POSITIONS = 65_536
/** Events that are found at once by their position alone. */
const POSITIONS_AT_ONCE = 1024

export interface SearchedFilter extends EventFilter {
  readonly search: SearchQuery
}

/** Positions that may match, newest first: all of those not visited before, down to `floor`. */
interface Candidates {
  readonly positions: readonly number[]
  readonly floor: number
}

/**
 * Always newest first. Events that are not in the index yet are found by ids only.
 * @param elapsed a clock in ms
 */
export function searchEvents(
  db: Connection,
  filter: SearchedFilter,
  limit: number,
  elapsed: () => number = () => performance.now(),
): EventPage {
  const until = elapsed() + SLICE_MS
  return db.transaction(() => {
    const removed = findRetentionGap(db, filter)
    const bounds = within(positionsOf(db, filter), periodPositions(db, filter))
    const { where, values } = conditionsOf({ ...filter, nonces: noncesOf(filter.search) })
    const select = prepareEvents(db, where)
    // Most candidates of a filter that is not in the index do not match: their bodies are not read.
    const isMatch = prepareOnce<Record<string, unknown>, 1>(
      db,
      `select 1 from events e not indexed where ${where}`,
    ).pluck()
    const payloadOf = createPayloads(db)
    const { mostBytes = PAGE_BYTES } = filter
    const events: EventWithBody[] = []
    let bytes = 0
    let visited = 0
    for (const { positions, floor } of candidatesOf(db, filter, bounds)) {
      for (const position of positions) {
        if (++visited % LOOK_EVERY === 0 && elapsed() > until)
          return { events, next: position + 1, more: true, removed }
        const at = { ...values, from: position, to: position }
        const row = isMatch.get(at) === undefined ? undefined : select.get({ ...at, limit: 1 })
        if (row === undefined) continue
        const event = eventOfRow(row, payloadOf(row))
        bytes += event.body.length
        if (events.length === limit || (events.length > 0 && bytes > mostBytes))
          return { events, next: events.at(-1)?.position ?? 0, more: true, removed }
        events.push(event)
      }
      if (floor > bounds.from && elapsed() > until) return { events, next: floor, more: true, removed }
    }
    return { events, next: 0, more: false, removed }
  })()
}

function within(one: Positions, other: Positions): Positions {
  return { from: Math.max(one.from, other.from), to: Math.min(one.to, other.to) }
}

function noncesOf({ words }: SearchQuery): string[] {
  return words.flatMap((word) => (word.kind === 'positions' && word.noncePrefix !== null ? [word.noncePrefix] : []))
}

function* candidatesOf(db: Connection, filter: SearchedFilter, bounds: Positions): Generator<Candidates> {
  const { words } = filter.search
  const terms = words.flatMap((word) => (word.kind === 'terms' ? [word.alternatives] : []))
  const ranges = words.flatMap((word) => (word.kind === 'positions' ? [word.ranges] : []))
  const sets = words.flatMap((word) => (word.kind === 'deliveries' ? [eventsOfDeliveries(db, word.ranges)] : []))
  if (filter.positions !== undefined) sets.push(new Set(filter.positions))
  const ofSubject = positionsOfSubject(db, filter, bounds)
  if (ofSubject !== null) sets.push(ofSubject)
  const withDelivery = eventsWithDelivery(db, filter.delivery)
  if (withDelivery !== null) sets.push(new Set(withDelivery))
  const isWanted = (position: number) =>
    ranges.every((all) => all.some(({ from, to }) => position >= from && position <= to)) &&
    sets.every((set) => set.has(position))
  const [set] = sets
  const found =
    terms.length > 0
      ? byTerms(db, [...byRarity(terms), ...termsOfFilter(filter)], bounds)
      : set !== undefined
        ? [{ positions: [...set].filter(isInside(bounds)).sort((one, other) => other - one), floor: bounds.from }]
        : byPositions(db, filter, ranges[0] ?? [], bounds)
  for (const { positions, floor } of found) yield { positions: positions.filter(isWanted), floor }
}

/** Positions that may be of the subject of the filter; null: it has none, or too many to be worth it. */
function positionsOfSubject(db: Connection, { subject }: EventFilter, bounds: Positions): Set<number> | null {
  if (subject === undefined) return null
  const found: number[] = []
  for (const positions of candidatesOfSubject(db, { subject, ...bounds, newestFirst: true })) {
    found.push(...positions)
    if (found.length > SUBJECT_POSITIONS) return null
  }
  return new Set(found)
}

function isInside({ from, to }: Positions): (position: number) => boolean {
  return (position) => position >= from && position <= to
}

function termsOfFilter(filter: EventFilter): TermWord[] {
  return filterWords(filter).map((texts) => texts.map((text) => [{ text, isPrefix: false }]))
}

/** Longer words are rarer: a word that a run lacks ends its search. */
function byRarity(words: readonly TermWord[]): TermWord[] {
  const lengthOf = (word: TermWord) =>
    Math.min(...word.map((terms) => Math.max(...terms.map(({ text }) => text.length))))
  return [...words].sort((one, other) => lengthOf(other) - lengthOf(one))
}

function* byTerms(db: Connection, words: readonly TermWord[], { from, to }: Positions): Generator<Candidates> {
  const lookup = new RunLookup(db, words)
  const runs = prepareOnce<[number, number], SearchRun>(
    db,
    'select id, first, last, events from search_runs where last >= ? and first <= ? order by last desc',
  ).all(from, to)
  for (const run of runs) yield { positions: lookup.positions(run, from, to), floor: Math.max(from, run.first) }
}

function* byPositions(
  db: Connection,
  filter: EventFilter,
  ranges: readonly NumberRange[],
  bounds: Positions,
): Generator<Candidates> {
  const find = prepareOnce<[number, number, number], number>(
    db,
    'select id from events not indexed where id between ? and ? order by id desc limit ? + 0',
  ).pluck()
  for (const range of [...ranges].sort((one, other) => other.to - one.to))
    for (const { from, to } of rangesOf(db, { ...filter, newestFirst: true }, within(range, bounds)))
      for (let end = to; end >= from; ) {
        const positions = find.all(from, end, POSITIONS_AT_ONCE)
        const floor = positions.length < POSITIONS_AT_ONCE ? from : (positions.at(-1) ?? from)
        yield { positions, floor }
        end = floor - 1
      }
}

function eventsOfDeliveries(
  db: Connection,
  ranges: Extract<SearchWord, { kind: 'deliveries' }>['ranges'],
): Set<number> {
  const find = prepareOnce<[number, number, number], number>(
    db,
    'select event_id from deliveries where id between ? and ? order by id desc limit ? + 0',
  ).pluck()
  const found: number[] = []
  for (const { from, to } of [...ranges].sort((one, other) => other.to - one.to))
    if (found.length < DELIVERIES) found.push(...find.all(from, to, DELIVERIES - found.length))
  return new Set(found)
}
