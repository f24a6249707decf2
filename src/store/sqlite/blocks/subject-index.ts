/**
 * Finds the events of a subject. Each summarized block of 1,024 events has one row of sorted entries (`subject_blocks`). Every 128 blocks become a set of
 * 128 rows (`subject_sets`), of which a lookup reads one; the writer makes it in small pieces. Events after the last summarized block are compared one by
 * one. [Decision 12](../../../../docs/decisions/12-event-blocks.md) has the reasons.
 */

import type { Positions } from '../../rules/event-page.ts'
import type { Connection } from '../database/connection.ts'
import { oncePerConnection } from '../database/prepared.ts'
import { AFTER_SUMMARIZED } from './event-blocks.ts'
import {
  BLOCK,
  BUCKETS,
  bucketOf,
  LAST_ROW,
  lastCompleteSet,
  offsetsInBlock,
  offsetsInSet,
  SET,
  SET_BLOCKS,
  subjectKey,
} from './subject-entries.ts'

/** The most positions that `candidatesOf` gives at once. */
export const CANDIDATES_AT_ONCE = 256

/** Events `e` at the positions of a JSON list, `:candidates`. The caller compares the subject. */
export const CANDIDATES = 'json_each(:candidates) j cross join events e on e.id = j.value'

type Statements = ReturnType<typeof prepareStatements>

const statementsOf = oncePerConnection(prepareStatements)

function prepareStatements(db: Connection) {
  const blocks = (order: 'asc' | 'desc') =>
    db
      .prepare<[number, number], [number, Buffer | null]>(`
        select b.block, s.data from event_blocks b left join subject_blocks s on s.block = b.block
        where b.block between ? and ? order by b.block ${order}`)
      .raw()
  return {
    lastRow: db.prepare<[], number | null>(LAST_ROW).pluck(),
    dataOf: db.prepare<[number], Buffer>('select data from subject_sets where id = ?').pluck(),
    rowFrom: db.prepare<[number], number | null>('select min(id) from subject_sets where id >= ?').pluck(),
    rowBefore: db.prepare<[number], number | null>('select max(id) from subject_sets where id < ?').pluck(),
    blocks: blocks('asc'),
    blocksNewestFirst: blocks('desc'),
    afterSummarized: db.prepare<[], number>(AFTER_SUMMARIZED).pluck(),
    compareAny: db
      .prepare<[number, number, string], number>(
        'select id from events not indexed where id between ? and ? and subject in (select value from json_each(?)) order by id',
      )
      .pluck(),
    compare: db
      .prepare<[number, number, string], number>(
        'select id from events not indexed where id between ? and ? and subject = +? order by id',
      )
      .pluck(),
  }
}

interface Candidacy extends Positions {
  readonly subject: string
  readonly newestFirst?: boolean
}

/**
 * Positions that may be of the subject, in the order of the events, in lists of at most CANDIDATES_AT_ONCE. A few are of other subjects, or of removed
 * events. Call it inside a transaction: the parts of the index must be of one moment.
 */
export function* candidatesOf(
  db: Connection,
  { subject, from, to, newestFirst = false }: Candidacy,
): Generator<number[]> {
  const parts = [inSets, inBlocks, inOpenBlock]
  for (const part of newestFirst ? parts.toReversed() : parts)
    for (const found of part(statementsOf(db), { subject, from, to, newestFirst })) {
      const wanted = found.filter((position) => position >= from && position <= to)
      if (newestFirst) wanted.reverse()
      for (let at = 0; at < wanted.length; at += CANDIDATES_AT_ONCE) yield wanted.slice(at, at + CANDIDATES_AT_ONCE)
    }
}

/** All of them, ascending. */
export function allCandidates(db: Connection, subject: string): number[] {
  const range = { from: 0, to: Number.MAX_SAFE_INTEGER }
  return db.transaction(() => [...candidatesOf(db, { subject, ...range })].flat())()
}

/** Of subjects with more events the newest are found. */
const MOST_CANDIDATES = 65_536

/** Positions that may be of one of the subjects, newest first. As `candidatesOf`, but each block is read once for all of them. */
export function candidatesOfAll(db: Connection, subjects: readonly string[]): number[] {
  const statements = statementsOf(db)
  const list = JSON.stringify(subjects)
  const keys = subjects.map(subjectKey)
  const found = statements.compareAny.all(statements.afterSummarized.get() ?? 0, Number.MAX_SAFE_INTEGER, list)
  const first = (lastCompleteSet(statements.lastRow.get()) + 1) * SET_BLOCKS
  for (const [block, data] of statements.blocks.all(first, Number.MAX_SAFE_INTEGER)) {
    const start = block * BLOCK
    if (data === null) found.push(...statements.compareAny.all(start, start + BLOCK - 1, list))
    else for (const key of keys) found.push(...offsetsInBlock(data, key).map((offset) => start + offset))
  }
  const everywhere = { from: 0, to: Number.MAX_SAFE_INTEGER, newestFirst: true }
  for (const subject of subjects) {
    let left = MOST_CANDIDATES
    for (const positions of inSets(statements, { subject, ...everywhere })) {
      found.push(...positions)
      left -= positions.length
      if (left <= 0) break
    }
  }
  return [...new Set(found)].sort((one, other) => other - one).slice(0, MOST_CANDIDATES)
}

type Lookup = Required<Candidacy>

function* inSets(statements: Statements, { subject, from, to, newestFirst }: Lookup): Generator<number[]> {
  const key = subjectKey(subject)
  const bucket = bucketOf(key)
  const first = Math.floor(from / SET)
  const last = Math.min(Math.floor(to / SET), lastCompleteSet(statements.lastRow.get()))
  for (let set = newestFirst ? last : first; set >= first && set <= last; ) {
    const data = statements.dataOf.get(set * BUCKETS + bucket)
    if (data === undefined) {
      // A restored backup continues a billion positions later.
      const row = newestFirst ? statements.rowBefore.get(set * BUCKETS) : statements.rowFrom.get((set + 1) * BUCKETS)
      if (typeof row !== 'number') return
      set = Math.floor(row / BUCKETS)
      continue
    }
    yield offsetsInSet(data, key).map((offset) => set * SET + offset)
    set += newestFirst ? -1 : 1
  }
}

/** Summarized blocks that no complete set contains. An interrupted upgrade leaves blocks without a row: their events are compared. */
function* inBlocks(statements: Statements, { subject, from, to, newestFirst }: Lookup): Generator<number[]> {
  const key = subjectKey(subject)
  const first = Math.max(Math.floor(from / BLOCK), (lastCompleteSet(statements.lastRow.get()) + 1) * SET_BLOCKS)
  const blocks = newestFirst ? statements.blocksNewestFirst : statements.blocks
  for (const [block, data] of blocks.all(first, Math.floor(to / BLOCK))) {
    const start = block * BLOCK
    if (data === null) yield statements.compare.all(start, start + BLOCK - 1, subject)
    else yield offsetsInBlock(data, key).map((offset) => start + offset)
  }
}

function* inOpenBlock({ afterSummarized, compare }: Statements, { subject, from, to }: Lookup): Generator<number[]> {
  yield compare.all(Math.max(afterSummarized.get() ?? 0, from), to, subject)
}
