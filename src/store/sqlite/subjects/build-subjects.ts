import type { Connection } from '../database/connection.ts'
import { BLOCK, BUCKETS, encodeSet, SET, SET_BLOCKS } from './subject-entries.ts'
import { lastCompleteSet } from './subject-index.ts'
import { createSubjectWriter, FIRST_BLOCK, prepareEntries, prepareIsMissing } from './subject-writer.ts'

/**
 * Makes the rows that summarized blocks lack: all of them after the upgrade of an older database, the rest after an interruption. One transaction for
 * each 131,072 events. Call it before any event is added.
 * @param show after each transaction
 */
export function buildSubjects(
  db: Connection,
  show: (step: { done: number; of: number }) => void = () => undefined,
): void {
  const after = (lastCompleteSet(db) + 1) * SET_BLOCKS
  if (!prepareIsMissing(db)(after)) return
  const blocks = db
    .prepare<[number], number>(`select block from event_blocks where block >= max(?, ${FIRST_BLOCK}) order by block`)
    .pluck()
    .all(after)
  const writer = createSubjectWriter(db)
  const buildSet = createSetBuilder(db)
  const open = (blocks.at(-1) ?? 0) + 1
  db.prepare('delete from subject_sets where id >= ?').run((after / SET_BLOCKS) * BUCKETS)
  let done = 0
  // Without a gap: the last set tells that all before it are complete.
  for (const [set, some] of Map.groupBy(blocks, (block) => Math.floor(block / SET_BLOCKS))) {
    const isComplete = (set + 1) * SET_BLOCKS <= open
    db.transaction(() => {
      if (isComplete) buildSet(set)
      else for (const block of some) writer.sum(block)
    }).immediate()
    done += some.length
    show({ done: done * BLOCK, of: blocks.length * BLOCK })
  }
}

function createSetBuilder(db: Connection): (set: number) => void {
  const entriesOf = prepareEntries(db)
  const insert = db.prepare('insert into subject_sets (id, data) values (?, ?)')
  return (set) =>
    encodeSet(entriesOf(set * SET, SET)).forEach((data, bucket) => void insert.run(set * BUCKETS + bucket, data))
}
