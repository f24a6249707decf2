import type { IndexState } from '../../rules/search-index.ts'
import type { VerifyStep } from '../../verification/verification.ts'
import { type Connection, openForReading } from '../database/connection.ts'
import { requireCurrentSchema } from '../database/migrations.ts'
import { buildRange } from '../search/build-run.ts'
import { differencesOf, UnreadableRun } from '../search/run-differences.ts'
import { firstTermOf, pagesOf } from '../search/run-format.ts'
import type { NewSearchRun } from '../search/search-change.ts'
import { listRuns, type SearchRun } from '../search/search-runs.ts'
import { readIndexState } from '../search/search-state.ts'
import { breachOf } from './invariants/invariant.ts'
import { SEARCH_INVARIANTS } from './search-invariants.ts'

export interface SearchVerification {
  /** Texts; none: the index holds the terms of the stored events, and nothing else. */
  readonly problems: readonly string[]
  readonly events: number
  readonly runs: number
  /** The index is being made again: of its older part, only terms of removed events were looked for. */
  readonly isRebuilding: boolean
}

/**
 * Compares every page of the search index with the terms of the stored events, by the settings that the index was made with. Read-only, and safe beside
 * a running gateway. Blocks its thread.
 * @throws PortariaError `store_missing`, `store_newer`, `store_unavailable`
 */
export function verifySearch(file: string, show: (step: VerifyStep) => void): SearchVerification {
  const db = openForReading(file)
  try {
    requireCurrentSchema(db)
    // One state of the database: a running gateway changes the index meanwhile.
    return db.transaction(() => compareIndex(db, show))()
  } finally {
    db.close()
  }
}

function compareIndex(db: Connection, show: (step: VerifyStep) => void): SearchVerification {
  const state = readIndexState(db)
  const runs = listRuns(db)
  const findings = createFindings()
  let before = 0
  for (const [index, run] of runs.entries()) {
    show({ done: index, of: runs.length, words: `search index: part ${index + 1} of ${runs.length}` })
    if (run.first > before && isCurrent(state, before + 1, run.first - 1))
      findLeftOut(db, state, { after: before, through: run.first - 1 }, findings)
    compareRun(db, state, run, findings)
    before = Math.max(before, run.last)
  }
  if (isCurrent(state, before + 1, state.through))
    findLeftOut(db, state, { after: before, through: state.through }, findings)
  const events = runs.reduce((sum, run) => sum + run.events, 0)
  const breaches = SEARCH_INVARIANTS.map((invariant) => breachOf(db, invariant)).filter((breach) => breach !== null)
  return {
    problems: [...breaches, ...findings.texts()],
    events,
    runs: runs.length,
    isRebuilding: state.rebuild !== null,
  }
}

/** Whether a range was made with the settings of the index. During a rebuild, the rest is still of earlier ones. */
function isCurrent({ rebuild }: IndexState, first: number, last: number): boolean {
  return rebuild === null || last <= rebuild.after || first > rebuild.through
}

interface Range {
  readonly after: number
  readonly through: number
}

const AT_ONCE = 8192

/** Events between runs that have terms. */
function findLeftOut(db: Connection, { settings }: IndexState, { after, through }: Range, findings: Findings): void {
  const nextEvent = db.prepare<[number], number | null>('select min(id) from events where id > ?').pluck()
  for (let at = after; ; ) {
    // A restored backup continues a billion positions after its last event.
    const next = nextEvent.get(at) ?? null
    if (next === null || next > through) return
    const range = { after: next - 1, through: Math.min(through, next - 1 + AT_ONCE) }
    const expected = buildRange(db, settings, range)
    if (expected !== null) for (const position of positionsIn(expected)) findings.add('leftOut', position)
    at = range.through
  }
}

/** Events of kinds that the settings leave out are not among them. */
function positionsIn({ first, last, pages }: NewSearchRun): Set<number> {
  const positions = new Set<number>()
  for (const { offset } of differencesOf({ stored: [], expected: [...pagesOf(pages)], span: last - first + 1 }))
    positions.add(first + offset)
  return positions
}

function compareRun(db: Connection, state: IndexState, run: SearchRun, findings: Findings): void {
  const { first, last } = run
  try {
    const stored = readPages(db, run)
    const present = new Set(eventsIn(db, first, last).map(({ id }) => id))
    const expected = isCurrent(state, first, last)
      ? buildRange(db, state.settings, { after: first - 1, through: last })
      : null
    if (expected === null) {
      const isOutdated = !isCurrent(state, first, last)
      for (const { offset } of differencesOf({ stored, expected: [], span: last - first + 1 }))
        if (!present.has(first + offset)) findings.add('leftover', first + offset)
        else if (!isOutdated) findings.add('surplus', first + offset)
      return
    }
    const shift = expected.first - first
    const span = last - first + 1
    for (const { offset, isMissing } of differencesOf({ stored, expected: [...pagesOf(expected.pages)], shift, span }))
      findings.add(isMissing ? 'missing' : present.has(first + offset) ? 'surplus' : 'leftover', first + offset)
  } catch (error) {
    if (!(error instanceof UnreadableRun)) throw error
    findings.add('unreadable', first)
  }
}

/** @throws UnreadableRun when a page is not where a search looks for it */
function readPages(db: Connection, { id }: SearchRun): Buffer[] {
  const rows = db
    .prepare<[number], { first_term: Buffer; data: Buffer }>(
      'select first_term, data from search_pages where run = ? order by first_term',
    )
    .all(id)
  for (const { first_term, data } of rows) if (!first_term.equals(firstTermOf(data))) throw new UnreadableRun()
  return rows.map(({ data }) => data)
}

function eventsIn(db: Connection, first: number, last: number): { readonly id: number }[] {
  return db
    .prepare<[number, number], { id: number }>(
      'select id from events not indexed where id between ? and ? and payload_removed_at is null',
    )
    .all(first, last)
}

/** What is said of the events of each finding. */
const SENTENCES = {
  missing: 'the search index lacks terms of events, so that searches miss them: positions',
  leftOut: 'the search index leaves out events, so that searches miss them: positions',
  surplus: 'the search index has terms that events do not contain: positions',
  leftover: 'the search index still has terms of events whose data was removed: positions',
  unreadable: 'parts of the search index cannot be read: those from positions',
} as const
type Finding = keyof typeof SENTENCES
type Findings = ReturnType<typeof createFindings>

const NAMED = 5

/** Never with the terms: they are data of the events. */
function createFindings() {
  const found = new Map<Finding, Set<number>>()
  return {
    add(finding: Finding, position: number): void {
      const positions = found.get(finding)
      if (positions === undefined) found.set(finding, new Set([position]))
      else positions.add(position)
    },
    texts(): string[] {
      return [...found].map(([finding, positions]) => {
        const named = [...positions].slice(0, NAMED).join(', ')
        const more = positions.size > NAMED ? ` and ${positions.size - NAMED} more` : ''
        return `${SENTENCES[finding]} ${named}${more}`
      })
    },
  }
}
