import type { Connection } from '../database/connection.ts'
import {
  BLOCK,
  BUCKETS,
  bucketOf,
  eachEntry,
  encodeBlock,
  encodeEntries,
  entryInSet,
  type KeyedEvent,
  LAST_ROW,
  lastCompleteSet,
  SET,
  SET_BLOCKS,
  subjectKey,
} from './subject-entries.ts'

/** Rows of a set that one step writes: reading their blocks costs more than writing them. */
const BUCKETS_AT_ONCE = 8
/** Rows that one step removes. `secure_delete` overwrites each page. */
const REMOVED_AT_ONCE = 4

/** Writes the index of subjects. It keeps nothing in memory, so a rollback needs no care. Inside the transaction. */
export interface SubjectWriter {
  /** Of a block that no event is added to. */
  sum(block: number): void
  /** A small piece of work: a part of a set whose blocks are all before `open`, or rows that are not needed any more. Under 1 ms. */
  step(open: number): void
}

export function createSubjectWriter(db: Connection): SubjectWriter {
  const entriesOf = prepareEntries(db)
  const insertBlock = db.prepare('insert or replace into subject_blocks (block, data) values (?, ?)')
  const insertRow = db.prepare('insert into subject_sets (id, data) values (?, ?)')
  const lastRow = db.prepare<[], number | null>(LAST_ROW).pluck()
  const firstBlock = db
    .prepare<[number], number | null>('select min(block) from subject_blocks where block >= ?')
    .pluck()
  const blocksOf = db
    .prepare<[number, number], [number, Buffer]>('select block, data from subject_blocks where block between ? and ?')
    .raw()
  const removeOld = createSubjectRemoval(db)

  /** The next row to write; null: no further set is complete. */
  function nextRow(open: number): number | null {
    const next = (lastRow.get() ?? -1) + 1
    if (next % BUCKETS !== 0) return next
    const after = (next / BUCKETS) * SET_BLOCKS
    const block = firstBlock.get(after)
    if (typeof block !== 'number') return null
    const set = Math.floor(block / SET_BLOCKS)
    return set < Math.floor(open / SET_BLOCKS) ? set * BUCKETS : null
  }

  function writeRows(row: number): void {
    const set = Math.floor(row / BUCKETS)
    const first = row % BUCKETS
    const last = Math.min(first + BUCKETS_AT_ONCE, BUCKETS) - 1
    const rows = Array.from({ length: last - first + 1 }, (): number[] => [])
    const start = set * SET_BLOCKS
    for (const [block, data] of blocksOf.iterate(start, start + SET_BLOCKS - 1)) {
      const before = (block - start) * BLOCK
      eachEntry(data, { first, last }, (key, offset) => {
        rows[bucketOf(key) - first]?.push(entryInSet(key, before + offset))
      })
    }
    rows.forEach((entries, at) => void insertRow.run(row + at, encodeEntries(entries)))
  }

  return {
    sum(block) {
      insertBlock.run(block, encodeBlock(entriesOf(block * BLOCK, BLOCK)))
    },
    step(open) {
      const row = nextRow(open)
      if (row === null) removeOld(REMOVED_AT_ONCE)
      else writeRows(row)
    },
  }
}

/** Removes up to `limit` rows of blocks that are in a complete set, or of blocks and sets whose events are all removed. Inside the transaction. */
export function createSubjectRemoval(db: Connection): (limit: number) => void {
  const lastRow = db.prepare<[], number | null>(LAST_ROW).pluck()
  const firstEvent = db.prepare<[], number | null>('select min(id) from events').pluck()
  const removeBlocks = db.prepare<[number, number]>(
    'delete from subject_blocks where block in (select block from subject_blocks where block < ? order by block limit ?)',
  )
  const removeSets = db.prepare<[number, number]>(
    'delete from subject_sets where id in (select id from subject_sets where id < ? order by id limit ?)',
  )
  return function removeOld(limit) {
    const first = firstEvent.get() ?? 0
    const merged = (lastCompleteSet(lastRow.get()) + 1) * SET_BLOCKS
    const { changes } = removeBlocks.run(Math.max(merged, Math.floor(first / BLOCK)), limit)
    if (changes < limit) removeSets.run(Math.floor(first / SET) * BUCKETS, limit - changes)
  }
}

/** Of each event with a subject, of `span` positions from `start`. */
export function prepareEntries(db: Connection): (start: number, span: number) => KeyedEvent[] {
  const subjects = db
    .prepare<[number, number], [number, string]>(
      'select id, subject from events not indexed where id between ? and ? and subject is not null',
    )
    .raw()
  return (start, span) =>
    subjects.all(start, start + span - 1).map(([id, subject]) => [id - start, subjectKey(subject)])
}
