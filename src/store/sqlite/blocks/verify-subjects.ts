import type { Connection } from '../database/connection.ts'
import {
  BLOCK,
  BUCKETS,
  decodeEntries,
  encodeBlock,
  encodeSet,
  LAST_ROW,
  lastCompleteSet,
  SET,
  SET_BLOCKS,
} from './subject-entries.ts'
import { prepareEntries } from './subject-writer.ts'

const NAMED = 5

/** Compares every row of the index of subjects with the stored events. Texts; none: each event is found by its subject. Reads all events. */
export function subjectFaults(db: Connection): string[] {
  const positions = [...new Set(faultyPositions(db))]
  if (positions.length === 0) return []
  const more = positions.length > NAMED ? ` and ${positions.length - NAMED} more` : ''
  return [
    `event that the index of subjects lacks, or has with another subject: ${positions.slice(0, NAMED).join(', ')}${more}`,
  ]
}

function* faultyPositions(db: Connection): Generator<number> {
  const differing = createComparison(db)
  const entriesOf = prepareEntries(db)
  const complete = lastCompleteSet(db.prepare<[], number | null>(LAST_ROW).pluck().get())
  const blocks = db.prepare<[], number>('select block from event_blocks order by block').pluck().all()
  const rowOf = db.prepare<[number], Buffer>('select data from subject_sets where id = ?').pluck()
  for (const set of new Set(blocks.map((block) => Math.floor(block / SET_BLOCKS)))) {
    if (set > complete) break
    for (const [bucket, expected] of encodeSet(entriesOf(set * SET, SET)).entries())
      yield* differing(rowOf.get(set * BUCKETS + bucket) ?? NONE, expected, { start: set * SET, span: SET })
  }
  const blockOf = db.prepare<[number], Buffer>('select data from subject_blocks where block = ?').pluck()
  for (const block of blocks.filter((one) => one >= (complete + 1) * SET_BLOCKS)) {
    const stored = blockOf.get(block)
    // Without a row, a lookup compares the events.
    if (stored === undefined) continue
    yield* differing(stored, encodeBlock(entriesOf(block * BLOCK, BLOCK)), { start: block * BLOCK, span: BLOCK })
  }
}

const NONE = Buffer.alloc(0)

type Comparison = (stored: Buffer, expected: Buffer, at: { start: number; span: number }) => number[]

/** Entries of removed events may stay. */
function createComparison(db: Connection): Comparison {
  const exists = db.prepare<[number], 1>('select 1 from events where id = ?').pluck()
  return (stored, expected, { start, span }) => {
    if (stored.equals(expected)) return []
    const [found, wanted] = [new Set(decodeEntries(stored)), new Set(decodeEntries(expected))]
    const lacking = [...wanted].filter((entry) => !found.has(entry))
    const wrong = [...found].filter((entry) => !wanted.has(entry) && exists.get(start + (entry % span)) !== undefined)
    return [...lacking, ...wrong].map((entry) => start + (entry % span))
  }
}
