import type { Geometry } from './hash-words.ts'

const COLUMNS = 32
/** Measured: fewer bits cost more reads of buckets, more bits more memory. See docs/decisions/05-deduplication.md. */
const BITS_PER_HASH = 14
const PROBES = 8

/** The bits of a filter: a Bloom filter of one block. */
export function filterBits({ blockBits }: Geometry): number {
  return BITS_PER_HASH * 2 ** blockBits
}

/** Adds the hash with these leading words. */
export function addToFilter(filter: Uint32Array, first: number, second: number): void {
  const scale = (filter.length * 32) / 2 ** 32
  const step = stepOf(first)
  for (let probe = 0, at = second; probe < PROBES; probe++, at = (at + step) >>> 0) {
    const bit = (at * scale) >>> 0
    filter[bit >>> 5] = (filter[bit >>> 5] as number) | (1 << (bit & 31))
  }
}

/** False: the hash with these leading words was not added. */
export function isInFilter(filter: Uint32Array, first: number, second: number): boolean {
  const scale = (filter.length * 32) / 2 ** 32
  const step = stepOf(first)
  for (let probe = 0, at = second; probe < PROBES; probe++, at = (at + step) >>> 0) {
    const bit = (at * scale) >>> 0
    if (((filter[bit >>> 5] as number) & (1 << (bit & 31))) === 0) return false
  }
  return true
}

function stepOf(first: number): number {
  return (Math.imul(first, 0x9e3779b1) | 1) >>> 0
}

/** A column that `candidates` does not see yet. */
export interface OpenColumn {
  readonly parts: number
  /** @param part from 0 up to `parts` - 1; each takes about 0.1 ms */
  fill(filter: Uint32Array, part: number): void
  /** When all parts are filled. */
  use(): void
}

interface Group {
  /** Word n holds bit n of each of the filters. */
  readonly rows: Uint32Array
  /** Of each column; null: the column is free. */
  readonly blocks: (number | null)[]
  /** A bit for each column in use. */
  used: number
}

/**
 * The filters of all blocks, 32 side by side: bit n of all of them is one word, so that a hash that no block has costs a few reads for 32 blocks
 * together.
 */
export class HashFilters {
  readonly #bits: number
  readonly #parts: number
  #groups: Group[] = []

  constructor(geometry: Geometry) {
    this.#bits = filterBits(geometry)
    this.#parts = 2 ** (geometry.bucketBits - 2)
  }

  /** The blocks that may have the hash with these leading words. */
  candidates(first: number, second: number): readonly number[] {
    const found: number[] = []
    const scale = this.#bits / 2 ** 32
    const step = stepOf(first)
    for (const { rows, blocks, used } of this.#groups) {
      let left = used
      for (let probe = 0, at = second; probe < PROBES && left !== 0; probe++, at = (at + step) >>> 0)
        left &= rows[(at * scale) >>> 0] as number
      for (; left !== 0; left &= left - 1) found.push(blocks[31 - Math.clz32(left & -left)] as number)
    }
    return found
  }

  /** Adds the filters of many blocks. */
  addAll(filters: readonly { readonly block: number; readonly filter: Uint32Array }[]): void {
    for (let from = 0; from < filters.length; from += COLUMNS)
      this.#groups.push(groupOf(filters.slice(from, from + COLUMNS), this.#bits))
  }

  /** Prepares the place of one more filter. One at a time. */
  open(block: number): OpenColumn {
    const group = this.#groupWithRoom()
    const column = group.blocks.indexOf(null)
    const length = Math.ceil(this.#bits / this.#parts)
    return {
      parts: this.#parts,
      fill: (filter, part) =>
        setColumn(group.rows.subarray(part * length, (part + 1) * length), column, { filter, from: part * length }),
      use() {
        group.blocks[column] = block
        group.used |= 1 << column
      },
    }
  }

  /** Forgets blocks. */
  remove(isOver: (block: number) => boolean): void {
    for (const group of this.#groups)
      for (const [column, block] of group.blocks.entries()) {
        if (block === null || !isOver(block)) continue
        group.blocks[column] = null
        group.used &= ~(1 << column)
      }
    this.#groups = this.#groups.filter(({ used }) => used !== 0)
  }

  #groupWithRoom(): Group {
    const found = this.#groups.find(({ blocks }) => blocks.includes(null))
    if (found !== undefined) return found
    const group = { rows: new Uint32Array(this.#bits), blocks: Array(COLUMNS).fill(null), used: 0 }
    this.#groups.push(group)
    return group
  }
}

/** @param bits those of a filter, beginning with that of the first row */
function setColumn(rows: Uint32Array, column: number, bits: { filter: Uint32Array; from: number }): void {
  const { filter, from } = bits
  const others = ~(1 << column)
  for (let row = 0, bit = from; row < rows.length; row++, bit++) {
    const value = ((filter[bit >>> 5] as number) >>> (bit & 31)) & 1
    rows[row] = ((rows[row] as number) & others) | (value << column)
  }
}

function groupOf(chosen: readonly { readonly block: number; readonly filter: Uint32Array }[], bits: number): Group {
  const rows = new Uint32Array(bits)
  const square = new Uint32Array(32)
  for (let word = 0; word < bits / 32; word++) {
    for (let column = 0; column < 32; column++) square[column] = chosen[column]?.filter[word] ?? 0
    transpose(square)
    rows.set(square, word * 32)
  }
  const blocks = Array.from({ length: COLUMNS }, (_, column) => chosen[column]?.block ?? null)
  return { rows, blocks, used: chosen.length === 32 ? -1 : 2 ** chosen.length - 1 }
}

/** Bit c of word r becomes bit r of word c. Source: Hacker's Delight, 7-3, for words whose lowest bit is the first. */
function transpose(square: Uint32Array): void {
  for (let width = 16, mask = 0x0000ffff; width !== 0; width >>>= 1, mask ^= mask << width)
    for (let row = 0; row < 32; row = (row + width + 1) & ~width) {
      const low = square[row] as number
      const high = square[row + width] as number
      const swapped = ((low >>> width) ^ high) & mask
      square[row] = low ^ (swapped << width)
      square[row + width] = high ^ swapped
    }
}
