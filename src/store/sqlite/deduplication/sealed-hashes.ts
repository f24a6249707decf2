import type { Connection } from '../database/connection.ts'
import type { HashBlock } from './hash-block.ts'
import { addToFilter, filterBits, HashFilters } from './hash-filters.ts'
import { bucketOf, entryOf, type Geometry, wordOf } from './hash-words.ts'

/** Blocks whose rows one transaction removes at most. */
const DROPPED_AT_ONCE = 2

/** The hashes of complete blocks on disk, with a filter for each of them in memory. */
export interface SealedHashes {
  /** The block behind the last sealed one. */
  next(): number
  /** The first position with this hash that `confirm` accepts, newest block first; null: none. */
  find(hash: Uint8Array, confirm: (position: number) => boolean): number | null
  /** Inside a transaction: writes a complete block at once. `load` makes it known to `find`. */
  write(hashes: HashBlock): void
  /** Begins to write a complete block. */
  seal(block: HashBlock): Sealing
  /** Reads the filters of the blocks that have a hash received at `since` or later, and are not in memory yet. */
  load(since: number): void
  /** Forgets the filters of all other blocks. Their rows stay. */
  expire(since: number): void
  /** Inside a transaction: removes rows of blocks whose events are gone. */
  dropGone(): void
  /** Removes the rows of blocks that an ended process did not complete. Before the first `seal`. */
  dropUnfinished(): void
}

/** A block that is being written: many small steps, each inside a transaction. A repeated step writes the same again. */
export interface Sealing {
  /** Writes the next bucket, behind the last one the row of the block, then prepares its filter in memory. Returns whether that was the last step. */
  step(): boolean
  /** After the commit: later transactions go on from here. The last time, `find` knows the block from now on. */
  committed(): void
  /** After a rollback: the next transaction repeats the steps of this one. */
  rolledBack(): void
}

interface BlockRow {
  readonly block: number
  readonly latest: number
}

export function createSealedHashes(db: Connection, geometry: Geometry): SealedHashes {
  const statements = prepareStatements(db, geometry)
  const buckets = 2 ** geometry.bucketBits
  const offsets = 2 ** geometry.blockBits - 1
  const filters = new HashFilters(geometry)
  /** Blocks that are in memory: those that are over leave it. */
  let loaded: BlockRow[] = []

  function findInBlock(block: number, hash: Uint8Array, confirm: (position: number) => boolean): number | null {
    const first = wordOf(hash, 0)
    const bytes = statements.bucket.get(block * buckets + bucketOf(first, geometry))
    if (bytes === undefined) return null
    const wanted = entryOf(first, 0, geometry)
    for (const entry of wordsOf(bytes)) {
      if ((entry & ~offsets) >>> 0 !== wanted) continue
      const position = block * 2 ** geometry.blockBits + (entry & offsets)
      if (confirm(position)) return position
    }
    return null
  }

  const emptyFilter = () => new Uint32Array(filterBits(geometry) / 32)

  function writeBucket(hashes: HashBlock, bucket: number, filter: Uint32Array): void {
    const { entries, words } = hashes.entriesOf(bucket)
    for (let i = 0; i < words.length; i += 2) addToFilter(filter, words[i] as number, words[i + 1] as number)
    statements.insertBucket.run(hashes.block * buckets + bucket, bytesOf(entries))
  }

  function writeBlock({ block, size, latest }: HashBlock, filter: Uint32Array): void {
    statements.insertBlock.run(block, size, latest, bytesOf(filter))
  }

  return {
    next: () => statements.next.get() ?? 0,

    find(hash, confirm) {
      const blocks = filters.candidates(wordOf(hash, 0), wordOf(hash, 4))
      if (blocks.length === 0) return null
      for (const block of [...blocks].sort((a, b) => b - a)) {
        const position = findInBlock(block, hash, confirm)
        if (position !== null) return position
      }
      return null
    },

    write(hashes) {
      const filter = emptyFilter()
      for (let bucket = 0; bucket < buckets; bucket++) writeBucket(hashes, bucket, filter)
      writeBlock(hashes, filter)
    },

    seal(hashes) {
      const { block, latest } = hashes
      const filter = emptyFilter()
      const column = filters.open(block)
      const steps = buckets + 1 + column.parts
      let next = 0
      let committed = 0
      return {
        step() {
          if (next < buckets) writeBucket(hashes, next, filter)
          else if (next === buckets) writeBlock(hashes, filter)
          else column.fill(filter, next - buckets - 1)
          return ++next === steps
        },
        committed() {
          committed = next
          if (committed < steps) return
          column.use()
          loaded.push({ block, latest })
        },
        rolledBack() {
          next = committed
        },
      }
    },

    load(since) {
      const known = new Set(loaded.map(({ block }) => block))
      filters.addAll(read())
      function* read() {
        for (const { block, latest, filter } of statements.blocksSince.iterate(since)) {
          if (known.has(block)) continue
          loaded.push({ block, latest })
          yield { block, filter }
        }
      }
    },

    expire(since) {
      const over = new Set(loaded.filter(({ latest }) => latest < since).map(({ block }) => block))
      if (over.size === 0) return
      filters.remove((block) => over.has(block))
      loaded = loaded.filter(({ block }) => !over.has(block))
    },

    dropGone() {
      for (const block of statements.gone.all()) {
        statements.dropBuckets.run(block * buckets, (block + 1) * buckets - 1)
        statements.dropBlock.run(block)
      }
    },

    dropUnfinished() {
      for (const block of statements.unfinished.all())
        statements.dropBuckets.run(block * buckets, (block + 1) * buckets - 1)
    },
  }
}

/** A copy: a number needs four bytes at a place that four divides. Words on disk are little-endian, as on x64 and arm64. */
export function wordsOf(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
}

function bytesOf(words: Uint32Array): Buffer {
  return Buffer.from(words.buffer, words.byteOffset, words.byteLength)
}

function prepareStatements(db: Connection, { blockBits, bucketBits }: Geometry) {
  const size = 2 ** blockBits
  const buckets = 2 ** bucketBits
  return {
    next: db.prepare<[], number | null>('select max(block) + 1 from sealed_blocks').pluck(),
    bucket: db.prepare<[number], Buffer>('select entries from sealed_hashes where id = ?').pluck(),
    // A process that ended before the block was complete may have left some of its buckets.
    insertBucket: db.prepare<[number, Uint8Array]>('insert or replace into sealed_hashes (id, entries) values (?, ?)'),
    insertBlock: db.prepare<[number, number, number, Uint8Array]>(
      'insert or replace into sealed_blocks (block, hashes, latest, filter) values (?, ?, ?, ?)',
    ),
    blocksSince: db.prepare<[number], BlockRow & { filter: Buffer }>(
      'select block, latest, filter from sealed_blocks where latest >= ? order by block',
    ),
    gone: db
      .prepare<[], number>(`
        select block from sealed_blocks b
        where not exists (select 1 from events e where e.id between b.block * ${size} and b.block * ${size} + ${size - 1})
        order by block limit ${DROPPED_AT_ONCE}`)
      .pluck(),
    // One look-up for each block.
    unfinished: db
      .prepare<[], number>(`
        with recursive written (block) as (
          select min(id) / ${buckets} from sealed_hashes
          union all
          select (select min(id) / ${buckets} from sealed_hashes where id >= (w.block + 1) * ${buckets}) from written w where w.block is not null)
        select block from written w where block is not null and not exists (select 1 from sealed_blocks b where b.block = w.block)`)
      .pluck(),
    dropBuckets: db.prepare<[number, number]>('delete from sealed_hashes where id between ? and ?'),
    dropBlock: db.prepare<[number]>('delete from sealed_blocks where block = ?'),
  }
}
