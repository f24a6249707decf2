import type { Connection } from '../database/connection.ts'
import { isInFilter } from './hash-filters.ts'
import { bucketOf, entryOf, GEOMETRY, type Geometry, wordOf } from './hash-words.ts'
import { wordsOf } from './sealed-hashes.ts'

interface BlockRow {
  readonly block: number
  readonly hashes: number
  readonly latest: number
  readonly filter: Buffer
}

interface EventRow {
  readonly id: number
  readonly fact_hash: Buffer
}

/** Of the events of a block, this fraction is looked up in it. */
const SAMPLED = 16

/**
 * Disagreements between sealed blocks and events, in words; none: every sampled event is found by its hash, and each block has at least as many hashes as
 * events. Retention removes events, and not their hashes.
 * @param sampled one of so many events is looked up
 */
export function sealedFaults(db: Connection, geometry: Geometry = GEOMETRY, sampled: number = SAMPLED): string[] {
  const blocks = db.prepare<[], BlockRow>('select * from sealed_blocks order by block').iterate()
  const faultOf = createCheck(db, geometry, sampled)
  const faults: string[] = []
  for (const row of blocks) {
    const fault = faultOf(row)
    if (fault !== null) faults.push(`sealed block ${row.block} of the deduplication ${fault}`)
  }
  return faults
}

function createCheck(db: Connection, geometry: Geometry, sampled: number): (row: BlockRow) => string | null {
  const size = 2 ** geometry.blockBits
  const buckets = 2 ** geometry.bucketBits
  const bucketsOf = db
    .prepare<[number, number], Buffer>('select entries from sealed_hashes where id between ? and ? order by id')
    .pluck()
  const sums = db.prepare<[number, number], { events: number; latest: number | null }>(
    'select count(*) as events, max(received_at) as latest from events where id between ? and ? and fact_hash is not null',
  )
  const sample = db.prepare<[number, number, number], EventRow>(
    'select id, fact_hash from events where id between ? and ? and fact_hash is not null and id % ? = 0',
  )

  return function faultOf({ block, hashes, latest, filter: bytes }) {
    const first = block * size
    const filter = wordsOf(bytes)
    const entries = bucketsOf.all(block * buckets, (block + 1) * buckets - 1).map(wordsOf)
    if (entries.length !== buckets) return `has ${entries.length} of its ${buckets} parts`
    const found = entries.reduce((sum, bucket) => sum + bucket.length, 0)
    if (found !== hashes) return `has ${found} hashes, and should have ${hashes}`
    const sum = sums.get(first, first + size - 1)
    if (sum !== undefined && sum.events > hashes) return `has ${hashes} hashes for ${sum.events} events`
    if ((sum?.latest ?? 0) > latest) return 'has an event that was received later than the block says'
    for (const { id, fact_hash: hash } of sample.iterate(first, first + size - 1, sampled)) {
      const word = wordOf(hash, 0)
      const isFound = entries[bucketOf(word, geometry)]?.includes(entryOf(word, id - first, geometry)) === true
      if (!isFound || !isInFilter(filter, word, wordOf(hash, 4))) return `does not lead to event ${id}`
    }
    return null
  }
}
