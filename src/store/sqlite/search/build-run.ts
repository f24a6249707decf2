import type { SearchBounds, SearchSettings } from '../../../domain/search/search-work.ts'
import type { PayloadRow } from '../../rows/payload-row.ts'
import { type IndexedRow, type IndexState, indexedTerms } from '../../rules/search-index.ts'
import type { Connection } from '../database/connection.ts'
import { BODY, CONTENT_TYPE, createPayloads } from '../rows/rows.ts'
import { type InParts, inOnePart } from './in-parts.ts'
import { compareTerms, RunWriter, SPAN, TERM_BYTES } from './run-format.ts'
import type { NewSearchRun, SearchChange, SearchSource } from './search-change.ts'
import { listRuns } from './search-runs.ts'
import { readIndexState } from './search-state.ts'

interface SourceRow extends IndexedRow, PayloadRow {
  readonly id: number
}

const SELECT = `
  select e.id, e.kind, e.environment, e.status, e.subject, e.array_start, e.array_end, e.item_start, e.item_end, e.callback_id,
    ${CONTENT_TYPE} as content_type, ${BODY} as body
  from events e not indexed join callbacks c on c.id = e.callback_id left join event_bodies b on b.event_id = e.id
  where e.id > :after and e.id <= :through and e.payload_removed_at is null order by e.id`

/** The next events that are not in the index, at most `limit`. null: there are none. */
export function* buildNew(db: Connection, { limit }: SearchBounds): InParts<SearchChange | null> {
  const state = readIndexState(db)
  const range = nextRange(db, { after: state.through, through: Number.MAX_SAFE_INTEGER, limit })
  if (range.through === state.through) return null
  return { inputs: [], ...(yield* build(db, state, { ...range, task: 'index', isLast: false })) }
}

/**
 * The next part to rebuild after a change of settings: one run, or a gap between runs. null if none.
 */
export function* buildAgain(db: Connection, { limit }: SearchBounds): InParts<SearchChange | null> {
  const state = readIndexState(db)
  const { rebuild } = state
  if (rebuild === null) return null
  const run = listRuns(db).find(({ last }) => last > rebuild.after)
  const isInRun = run !== undefined && run.first <= rebuild.after + 1
  const after = rebuild.after
  const end = isInRun ? run.last : Math.min(rebuild.through, (run?.first ?? Number.POSITIVE_INFINITY) - 1)
  const range = isInRun ? { after, through: end } : nextRange(db, { after, through: end, limit })
  const through = range.through === after ? end : range.through
  const source = { task: 'rebuild', after, through, isLast: through >= rebuild.through } as const
  const inputs = isInRun ? [{ id: run.id, events: run.events }] : []
  return { inputs, ...(yield* build(db, state, source)) }
}

/** Up to the end of at most `limit` events, and of SPAN positions. */
function nextRange(db: Connection, { after, through, limit }: { after: number; through: number; limit: number }) {
  const find = db.prepare<[number, number, number], { first: number | null; last: number | null }>(`
    select min(id) as first, max(id) as last from (select id from events not indexed where id > ? and id <= ? order by id limit ?)`)
  const { first, last } = find.get(after, through, limit) ?? {}
  if (first == null || last == null) return { after, through: after }
  return { after, through: Math.min(last, first + SPAN - 1) }
}

type Range = Pick<SearchSource, 'task' | 'after' | 'through' | 'isLast'>

function* build(
  db: Connection,
  { settings, generation }: IndexState,
  range: Range,
): InParts<Pick<SearchChange, 'runs' | 'source'>> {
  const { run, events } = yield* readRange(db, settings, range)
  return { runs: run === null ? [] : [run], source: { ...range, events, generation } }
}

/** The run of the events at these positions, after `after` and up to `through`. null: none has a term. */
export function buildRange(
  db: Connection,
  settings: SearchSettings,
  range: Pick<Range, 'after' | 'through'>,
): NewSearchRun | null {
  return inOnePart(readRange(db, settings, range)).run
}

/** Bytes of events that are read in one part. */
const PART_BYTES = 8192

function* readRange(
  db: Connection,
  settings: SearchSettings,
  { after, through }: Pick<Range, 'after' | 'through'>,
): InParts<{ readonly run: NewSearchRun | null; readonly events: number }> {
  const collected = new TermCollector()
  const payloadOf = createPayloads(db)
  const select = db.prepare<object, SourceRow>(SELECT)
  let events = 0
  for (let from = after; from < through; ) {
    let bytes = 0
    let last = through
    for (const row of select.iterate({ after: from, through })) {
      events++
      const payload = payloadOf(row)
      const terms = indexedTerms(row, settings, () => payload)
      if (terms !== null) collected.add(row.id, terms)
      bytes += payload.length
      if (bytes < PART_BYTES) continue
      last = row.id
      break
    }
    from = last
    yield
  }
  return { run: yield* collected.run(), events }
}

/** Gathers the terms of events in the order of their positions. */
export class TermCollector {
  /** Most terms have one position: an array for each of them would cost more than the rest. */
  readonly #positions = new Map<string, number | number[]>()
  readonly #events: number[] = []

  add(position: number, terms: Iterable<string>): void {
    const all = this.#positions
    for (const text of terms) {
      // Half of a surrogate pair has no bytes of its own: two such terms would be one.
      const term = text.isWellFormed() ? text : text.toWellFormed()
      const positions = all.get(term)
      if (positions === undefined) all.set(term, position)
      else if (typeof positions === 'number') {
        if (positions !== position) all.set(term, [positions, position])
      } else if (positions.at(-1) !== position) positions.push(position)
    }
    if (this.#events.at(-1) !== position) this.#events.push(position)
  }

  /** null: there are no events. */
  *run(): InParts<NewSearchRun | null> {
    const [first] = this.#events
    const last = this.#events.at(-1)
    if (first === undefined || last === undefined) return null
    const writer = new RunWriter()
    const term = new Uint8Array(TERM_BYTES)
    const offsets = new Uint32Array(this.#events.length)
    const base = first
    function add(text: string, positions: number | readonly number[]): void {
      const { written } = encoder.encodeInto(text, term)
      if (typeof positions === 'number') {
        offsets[0] = positions - base
        return writer.add(term, written, offsets, 1)
      }
      for (let at = 0; at < positions.length; at++) offsets[at] = (positions[at] as number) - base
      writer.add(term, written, offsets, positions.length)
    }
    add('', this.#events)
    for (const terms of byFirstCharacter(this.#positions.keys())) {
      for (const text of sorted(terms)) add(text, this.#positions.get(text) as number | number[])
      yield
    }
    return { first, last, events: this.#events.length, pages: writer.end() }
  }
}

const encoder = new TextEncoder()

/** In the order of their first characters, which UTF-8 keeps: sorting all terms at once would take too long for one part. */
function byFirstCharacter(terms: Iterable<string>): string[][] {
  const groups = new Map<number, string[]>()
  for (const term of terms) {
    const first = term.codePointAt(0) ?? 0
    const group = groups.get(first)
    if (group === undefined) groups.set(first, [term])
    else group.push(term)
  }
  return [...groups].sort(([one], [other]) => one - other).map(([, group]) => group)
}

/** By their bytes: UTF-16 sorts surrogates before some other characters. */
function sorted(terms: string[]): string[] {
  terms.sort()
  if (!terms.some((term) => /[\ud800-\udfff]/.test(term))) return terms
  return terms
    .map((term) => ({ term, bytes: encoder.encode(term) }))
    .sort((one, other) => compareTerms(one.bytes, one.bytes.length, other.bytes, other.bytes.length))
    .map(({ term }) => term)
}
