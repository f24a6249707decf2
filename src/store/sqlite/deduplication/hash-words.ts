/** A block is the range of 2^blockBits positions; a bucket of a block holds the hashes that begin with the same bucketBits bits. */
export interface Geometry {
  readonly blockBits: number
  readonly bucketBits: number
}

/** Of the tables `sealed_blocks` and `sealed_hashes`: another geometry needs a migration that empties them. */
export const GEOMETRY: Geometry = { blockBits: 17, bucketBits: 8 }

/** Positions can exceed 32 bits, so they are divided and not shifted. */
export function blockOf(position: number, { blockBits }: Geometry): number {
  return Math.floor(position / 2 ** blockBits)
}

/** Four bytes of a hash as a number. */
export function wordOf(hash: Uint8Array, at: number): number {
  return (
    (((hash[at] as number) << 24) |
      ((hash[at + 1] as number) << 16) |
      ((hash[at + 2] as number) << 8) |
      (hash[at + 3] as number)) >>>
    0
  )
}

export function bucketOf(word: number, { bucketBits }: Geometry): number {
  return word >>> (32 - bucketBits)
}

/** The bits of the first word behind those of the bucket, as many as the offset leaves free; the offset in the block fills the others. */
export function entryOf(word: number, offset: number, { blockBits, bucketBits }: Geometry): number {
  return ((((word << bucketBits) >>> blockBits) << blockBits) | offset) >>> 0
}
