import { subjectHash } from '../../storing/subject-hash.ts'

/*
 * An entry is the key of a subject and the offset of an event, as one number of six bytes, big-endian. Entries are sorted, so a lookup is a binary search.
 * The key has 32 bits of the hash: of 5 million other events, one in a thousand lookups finds one. The caller compares the subject itself.
 */

/** Events of a block. */
export const BLOCK = 1024
/** Blocks of a set. */
export const SET_BLOCKS = 128
/** Events of a set. */
export const SET = BLOCK * SET_BLOCKS
/** A set has so many rows; the first bits of the key choose the row, so that a lookup reads one page. */
export const BUCKETS = 128

const ENTRY_BYTES = 6
const BUCKET_KEYS = 2 ** 32 / BUCKETS

export function subjectKey(subject: string): number {
  return subjectHash(subject) >>> 0
}

export function bucketOf(key: number): number {
  return Math.floor(key / BUCKET_KEYS)
}

/** Offset and key of an event with a subject. */
export type KeyedEvent = readonly [offset: number, key: number]

export function encodeBlock(events: readonly KeyedEvent[]): Buffer {
  return encodeEntries(events.map(([offset, key]) => key * BLOCK + offset))
}

/** The rows of a set. */
export function encodeSet(events: readonly KeyedEvent[]): Buffer[] {
  const rows = Array.from({ length: BUCKETS }, (): number[] => [])
  for (const [offset, key] of events) rows[bucketOf(key)]?.push(entryInSet(key, offset))
  return rows.map(encodeEntries)
}

/** Sorted. */
export function encodeEntries(unsorted: readonly number[]): Buffer {
  const entries = Float64Array.from(unsorted).sort()
  const data = Buffer.allocUnsafe(entries.length * ENTRY_BYTES)
  for (let at = 0; at < entries.length; at++) data.writeUIntBE(entries[at] as number, at * ENTRY_BYTES, ENTRY_BYTES)
  return data
}

export function decodeEntries(data: Buffer): number[] {
  return Array.from({ length: data.length / ENTRY_BYTES }, (_, at) => data.readUIntBE(at * ENTRY_BYTES, ENTRY_BYTES))
}

/** In a set, an entry has only the part of the key that its bucket leaves open. */
export function entryInSet(key: number, offset: number): number {
  return (key % BUCKET_KEYS) * SET + offset
}

/** Ascending. */
export function offsetsInBlock(data: Buffer, key: number): number[] {
  return offsetsOf(data, key, BLOCK)
}

/** Ascending. @param data of the bucket of the key */
export function offsetsInSet(data: Buffer, key: number): number[] {
  return offsetsOf(data, key % BUCKET_KEYS, SET)
}

function offsetsOf(data: Buffer, key: number, span: number): number[] {
  const offsets: number[] = []
  const end = (key + 1) * span
  for (let at = firstFrom(data, key * span); at < data.length; at += ENTRY_BYTES) {
    const entry = data.readUIntBE(at, ENTRY_BYTES)
    if (entry >= end) break
    offsets.push(entry % span)
  }
  return offsets
}

/** Where the first entry that is not less begins. */
function firstFrom(data: Buffer, entry: number): number {
  let low = 0
  let high = data.length / ENTRY_BYTES
  while (low < high) {
    const middle = (low + high) >>> 1
    if (data.readUIntBE(middle * ENTRY_BYTES, ENTRY_BYTES) < entry) low = middle + 1
    else high = middle
  }
  return low * ENTRY_BYTES
}

/** Calls `each` with the entries of some buckets of a block. */
export function eachEntry(
  data: Buffer,
  { first, last }: BucketRange,
  each: (key: number, offset: number) => void,
): void {
  const end = (last + 1) * BUCKET_KEYS * BLOCK
  for (let at = firstFrom(data, first * BUCKET_KEYS * BLOCK); at < data.length; at += ENTRY_BYTES) {
    const entry = data.readUIntBE(at, ENTRY_BYTES)
    if (entry >= end) return
    each(Math.floor(entry / BLOCK), entry % BLOCK)
  }
}

/** Both inclusive. */
export interface BucketRange {
  readonly first: number
  readonly last: number
}

/** The highest row of the sets; null: none. */
export const LAST_ROW = 'select max(id) from subject_sets'

/**
 * The last set of which all rows are there; -1: none. Sets are made in ascending order, so every earlier set is complete or has no events.
 * @param lastRow the result of `LAST_ROW`
 */
export function lastCompleteSet(lastRow: number | null | undefined): number {
  return Math.floor(((lastRow ?? -1) + 1) / BUCKETS) - 1
}
