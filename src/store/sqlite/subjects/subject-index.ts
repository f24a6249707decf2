/**
 * Finds the events of a subject. Each summarized block of 1,024 events has one row of sorted entries (`subject_blocks`). Every 128 blocks become a set of
 * 128 rows (`subject_sets`), of which a lookup reads one; the writer makes it in small pieces. Events after the last summarized block are compared one by
 * one. [Decision 12](../../../../docs/decisions/12-event-blocks.md) has the reasons.
 */

import type { Connection } from '../database/connection.ts'
import { AFTER_SUMMARIZED, type Positions } from '../events/event-blocks.ts'
import {
  BLOCK,
  BUCKETS,
  bucketOf,
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

/** The last set of which all rows are there; -1: none. Sets are made in ascending order, so every earlier set is complete or has no events. */
export function lastCompleteSet(db: Connection): number {
  const last = db.prepare<[], number | null>('select max(id) from subject_sets').pluck().get() ?? -1
  return Math.floor((last + 1) / BUCKETS) - 1
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
    for (const found of part(db, { subject, from, to, newestFirst })) {
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

type Lookup = Required<Candidacy>

function* inSets(db: Connection, { subject, from, to, newestFirst }: Lookup): Generator<number[]> {
  const key = subjectKey(subject)
  const bucket = bucketOf(key)
  const dataOf = db.prepare<[number], Buffer>('select data from subject_sets where id = ?').pluck()
  // A restored backup continues a billion positions later.
  const nextRow = db
    .prepare<[number], number | null>(
      newestFirst ? 'select max(id) from subject_sets where id < ?' : 'select min(id) from subject_sets where id >= ?',
    )
    .pluck()
  const first = Math.floor(from / SET)
  const last = Math.min(Math.floor(to / SET), lastCompleteSet(db))
  for (let set = newestFirst ? last : first; set >= first && set <= last; ) {
    const data = dataOf.get(set * BUCKETS + bucket)
    if (data === undefined) {
      const row = nextRow.get(newestFirst ? set * BUCKETS : (set + 1) * BUCKETS)
      if (typeof row !== 'number') return
      set = Math.floor(row / BUCKETS)
      continue
    }
    yield offsetsInSet(data, key).map((offset) => set * SET + offset)
    set += newestFirst ? -1 : 1
  }
}

/** Summarized blocks that no complete set contains. An interrupted upgrade leaves blocks without a row: their events are compared. */
function* inBlocks(db: Connection, { subject, from, to, newestFirst }: Lookup): Generator<number[]> {
  const key = subjectKey(subject)
  const compare = prepareCompare(db)
  const first = Math.max(Math.floor(from / BLOCK), (lastCompleteSet(db) + 1) * SET_BLOCKS)
  const blocks = db
    .prepare<[number, number], [number, Buffer | null]>(`
      select b.block, s.data from event_blocks b left join subject_blocks s on s.block = b.block
      where b.block between ? and ? order by b.block ${newestFirst ? 'desc' : 'asc'}`)
    .raw()
    .all(first, Math.floor(to / BLOCK))
  for (const [block, data] of blocks) {
    const start = block * BLOCK
    if (data === null) yield compare.all(start, start + BLOCK - 1, subject)
    else yield offsetsInBlock(data, key).map((offset) => start + offset)
  }
}

function* inOpenBlock(db: Connection, { subject, from, to }: Lookup): Generator<number[]> {
  const start = db.prepare<[], number>(AFTER_SUMMARIZED).pluck().get() ?? 0
  yield prepareCompare(db).all(Math.max(start, from), to, subject)
}

function prepareCompare(db: Connection) {
  return db
    .prepare<[number, number, string], number>(
      'select id from events not indexed where id between ? and ? and subject = ? order by id',
    )
    .pluck()
}
