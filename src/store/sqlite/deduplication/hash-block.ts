import { blockOf, entryOf, type Geometry, wordOf } from './hash-words.ts'

/**
 * The fact hashes of one block of positions in memory, as 64-bit fingerprints: a hash table of fixed size, at most half full, 12 bytes a slot. It never
 * grows, so no addition takes longer than another. A slot is chosen by the leading bits, so the table is nearly in the order of the hashes.
 */
export class HashBlock {
  readonly block: number
  /** The latest receiving time of an added fact, also of one that was undone. */
  latest = 0
  #size = 0
  readonly #geometry: Geometry
  readonly #first: number
  readonly #shift: number
  readonly #mask: number
  readonly #words: Uint32Array
  /** Offset in the block + 1; 0: the slot is free. */
  readonly #offsets: Uint32Array

  constructor(block: number, geometry: Geometry) {
    this.block = block
    this.#geometry = geometry
    this.#first = block * 2 ** geometry.blockBits
    const slots = 2 ** (geometry.blockBits + 1)
    this.#shift = 31 - geometry.blockBits
    this.#mask = slots - 1
    this.#words = new Uint32Array(slots * 2)
    this.#offsets = new Uint32Array(slots)
  }

  get size(): number {
    return this.#size
  }

  /** The first position with this fingerprint that `confirm` accepts; null: none. */
  find(hash: Uint8Array, confirm: (position: number) => boolean): number | null {
    const first = wordOf(hash, 0)
    const second = wordOf(hash, 4)
    for (let slot = this.#home(first); this.#offsets[slot] !== 0; slot = this.#next(slot)) {
      if (this.#words[slot * 2] !== first || this.#words[slot * 2 + 1] !== second) continue
      const position = this.#positionAt(slot)
      if (confirm(position)) return position
    }
    return null
  }

  /** @param position in this block, and not added before */
  add(hash: Uint8Array, position: number, receivedAt: number): void {
    const first = wordOf(hash, 0)
    let slot = this.#home(first)
    while (this.#offsets[slot] !== 0) slot = this.#next(slot)
    this.#words[slot * 2] = first
    this.#words[slot * 2 + 1] = wordOf(hash, 4)
    this.#offsets[slot] = position - this.#first + 1
    this.#size++
    if (receivedAt > this.latest) this.latest = receivedAt
  }

  /** Removes the newest addition. Only in reverse order of the additions. */
  undo(hash: Uint8Array, position: number): void {
    for (let slot = this.#home(wordOf(hash, 0)); this.#offsets[slot] !== 0; slot = this.#next(slot)) {
      if (this.#positionAt(slot) !== position) continue
      this.#offsets[slot] = 0
      this.#size--
      return
    }
  }

  /** The entries of a bucket, without order, and the fingerprints that they were made from. */
  entriesOf(bucket: number): { entries: Uint32Array; words: Uint32Array } {
    const { blockBits, bucketBits } = this.#geometry
    const width = 2 ** (blockBits + 1 - bucketBits)
    const entries: number[] = []
    const words: number[] = []
    const end = (bucket + 1) * width
    // Behind the bucket's own slots its entries reach up to the next free one.
    for (let at = bucket * width; at < end || this.#offsets[at & this.#mask] !== 0; at++) {
      const slot = at & this.#mask
      const offset = this.#offsets[slot] as number
      const first = this.#words[slot * 2] as number
      if (offset === 0 || first >>> (32 - bucketBits) !== bucket) continue
      entries.push(entryOf(first, offset - 1, this.#geometry))
      words.push(first, this.#words[slot * 2 + 1] as number)
    }
    return { entries: Uint32Array.from(entries), words: Uint32Array.from(words) }
  }

  holds(position: number): boolean {
    return blockOf(position, this.#geometry) === this.block
  }

  #positionAt(slot: number): number {
    return this.#first + (this.#offsets[slot] as number) - 1
  }

  #home(first: number): number {
    return first >>> this.#shift
  }

  #next(slot: number): number {
    return (slot + 1) & this.#mask
  }
}
