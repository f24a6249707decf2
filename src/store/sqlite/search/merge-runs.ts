import type { SearchBounds } from '../../../domain/search/search-work.ts'
import type { Connection } from '../database/connection.ts'
import { positionsOfCallbacks } from '../rows/rows.ts'
import type { InParts } from './in-parts.ts'
import { compareTerms, PageReader, RunWriter, SPAN, TERM_BYTES } from './run-format.ts'
import type { NewSearchRun, SearchChange } from './search-change.ts'
import { listRuns, pagesOfRun, type SearchRun } from './search-runs.ts'
import { readIndexState } from './search-state.ts'

/** Events of the largest runs. */
export const LARGEST_RUN = 8192
/** Terms that are merged in one part. */
const PART_TERMS = 128
/** Runs of one size that are merged. */
const FANOUT = 8
/** Sizes by events. A run of the last size or more stays as it is, also when some of its events are removed. */
const SIZES = [8, 64, 512, 3072]

/** Merges runs of a similar size that lie beside each other. null: there are none. */
export function* mergeNext(db: Connection, { after = 0 }: SearchBounds): InParts<SearchChange | null> {
  const runs = listRuns(db).filter(({ first }) => first > after)
  const found = findMergeable(runs, readIndexState(db).rebuild?.after ?? 0)
  return found === null ? null : { inputs: versionsOf(found), runs: yield* mergeRuns(db, found, []), source: null }
}

/**
 * Cuts the runs that contain events of these callbacks into small ones, so that a removal of some of them rewrites little. null: all of them are small.
 */
export function* prepareSearchSplit(db: Connection, callbackIds: readonly number[]): InParts<SearchChange | null> {
  const positions = positionsOfCallbacks(db, callbackIds)
  const [from, to] = [positions[0], positions.at(-1)]
  if (from === undefined || to === undefined) return null
  const large = db
    .prepare<[number, number, number], SearchRun>(`
      select id, first, last, events from search_runs where last >= ? and first <= ? and events > ? order by last limit 1`)
    .get(from, to, 2 * SMALL_RUN)
  if (large === undefined) return null
  const members = eventsOf(db, large)
  const first = members.findIndex((position) => position >= from)
  // The last cut before the first of these events is needed, however far before it lies: the part with that event would stay large.
  const cuts = members.filter((_, at) => at % SMALL_RUN === 0 && at > Math.max(0, first - SMALL_RUN))
  return { inputs: versionsOf([large]), runs: yield* mergeRuns(db, [large], cuts), source: null }
}

/** Events of a run after a split. */
const SMALL_RUN = 64

function versionsOf(runs: readonly SearchRun[]): SearchChange['inputs'] {
  return runs.map(({ id, events }) => ({ id, events }))
}

/** Neighbours of one size or smaller: at least FANOUT, or enough for a run that stays. @param border no merge crosses it */
export function findMergeable(runs: readonly SearchRun[], border: number): SearchRun[] | null {
  for (const size of SIZES) {
    let group: SearchRun[] = []
    let events = 0
    for (const run of runs) {
      const isFitting =
        run.events < size &&
        events + run.events <= LARGEST_RUN &&
        (group[0] === undefined || (run.last - group[0].first < SPAN && group[0].first > border === run.first > border))
      if (!isFitting) [group, events] = [[], 0]
      if (run.events >= size) continue
      group.push(run)
      events += run.events
      if (group.length >= FANOUT || (group.length > 1 && events >= LARGEST_RUN / 2)) return group
    }
  }
  return null
}

/** The positions of the events in a run. */
function eventsOf(db: Connection, { id, first }: SearchRun): number[] {
  const reader = new PageReader()
  reader.open(pagesOfRun(db, id)[0] ?? new Uint8Array())
  if (!reader.next()) return []
  const offsets = new Uint32Array(SPAN)
  return [...offsets.subarray(0, reader.readOffsets(offsets, 0, 0))].map((offset) => first + offset)
}

/**
 * The content of these neighbours as one run, or as several.
 * @param cuts positions at which another run begins
 */
export function* mergeRuns(
  db: Connection,
  runs: readonly SearchRun[],
  cuts: readonly number[],
): InParts<NewSearchRun[]> {
  const cursors = runs.map((run) => new RunCursor(pagesOfRun(db, run.id), run.first))
  const outputs = outputsOf(runs, cuts)
  const positions = new Uint32Array(SPAN)
  const base = (runs[0] as SearchRun).first
  const term = new Uint8Array(TERM_BYTES)
  let waiting = cursors.filter((cursor) => cursor.next())
  for (let terms = 1; waiting.length > 0; terms++) {
    if (terms % PART_TERMS === 0) yield
    const smallest = smallestOf(waiting)
    const length = smallest.length
    term.set(smallest.term.subarray(0, length))
    let count = 0
    let hasEnded = false
    for (const cursor of waiting) {
      if (!cursor.isAt(term, length)) continue
      count = cursor.readOffsets(positions, count, base)
      if (!cursor.next()) hasEnded = true
    }
    if (hasEnded) waiting = waiting.filter((cursor) => !cursor.hasEnded)
    distribute(outputs, { term, length }, positions, count)
  }
  return outputs.flatMap(({ writer, first, last, events }) =>
    events === 0 ? [] : [{ first: base + first, last: base + last, events, pages: writer.end() }],
  )
}

interface Output {
  readonly writer: RunWriter
  /** Offsets from the base: `from` up to, but not including, `to`. */
  readonly from: number
  readonly to: number
  /** Offsets of its first and last events. */
  first: number
  last: number
  events: number
}

function outputsOf(runs: readonly SearchRun[], cuts: readonly number[]): Output[] {
  const base = (runs[0] as SearchRun).first
  const borders = [0, ...cuts.map((cut) => cut - base), SPAN]
  return borders.slice(1).map((to, at) => {
    const from = borders[at] as number
    return { writer: new RunWriter(), from, to, first: from, last: from, events: 0 }
  })
}

const own = new Uint32Array(SPAN)

function distribute(
  outputs: readonly Output[],
  { term, length }: { term: Uint8Array; length: number },
  positions: Uint32Array,
  count: number,
): void {
  let at = 0
  for (const output of outputs) {
    if (at === count) return
    const start = at
    while (at < count && (positions[at] as number) < output.to) at++
    if (at === start) continue
    // The empty term comes first, and contains all events.
    if (length === 0) {
      output.first = positions[start] as number
      output.last = positions[at - 1] as number
      output.events = at - start
    }
    for (let from = start; from < at; from++) own[from - start] = (positions[from] as number) - output.first
    output.writer.add(term, length, own, at - start)
  }
}

function smallestOf(cursors: readonly RunCursor[]): RunCursor {
  let smallest = cursors[0] as RunCursor
  for (let at = 1; at < cursors.length; at++) {
    const cursor = cursors[at] as RunCursor
    if (compareTerms(cursor.term, cursor.length, smallest.term, smallest.length) < 0) smallest = cursor
  }
  return smallest
}

/** Walks all terms of a run. */
class RunCursor {
  readonly #reader = new PageReader()
  readonly #pages: readonly Buffer[]
  readonly #first: number
  #page = 0
  hasEnded = false

  constructor(pages: readonly Buffer[], first: number) {
    this.#pages = pages
    this.#first = first
  }

  get term(): Uint8Array {
    return this.#reader.term
  }

  get length(): number {
    return this.#reader.termLength
  }

  next(): boolean {
    while (!this.#reader.next()) {
      const page = this.#pages[this.#page++]
      if (page === undefined) {
        this.hasEnded = true
        return false
      }
      this.#reader.open(page)
    }
    return true
  }

  isAt(term: Uint8Array, length: number): boolean {
    return this.length === length && compareTerms(this.term, length, term, length) === 0
  }

  /** Offsets from `base`. */
  readOffsets(to: Uint32Array, at: number, base: number): number {
    return this.#reader.readOffsets(to, at, this.#first - base)
  }
}
