import type { Geometry } from './hash-words.ts'

const COLUMNS = 32
/** Measured: fewer bits cost more reads of buckets, more bits more memory. See docs/decisions/05-deduplication.md. */
const BITS_PER_HASH = 14
const PROBES = 8
/** Filters that are added at once. */
const AT_ONCE = 8

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

/** The filter of a block as on disk: words, little-endian. */
export interface BlockFilter {
  readonly block: number
  readonly filter: Uint8Array
}

/** A column that `candidates` does not see yet. */
export interface OpenColumn {
  readonly parts: number
  /** @param part from 0 up to `parts` - 1; each takes about 0.1 ms */
  fill(filter: Uint32Array, part: number): void
  /** When all parts are filled. */
  use(): void
}

type Rows = Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> | Uint32Array<ArrayBuffer>

interface Group {
  /** Word n holds bit n of each of the filters. Words are as wide as the used columns need. */
  rows: Rows
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

  /** Adds the filters of many blocks. Of their bytes only those of `AT_ONCE` blocks are in memory at a time, and freed here. */
  addAll(filters: Iterable<BlockFilter>): void {
    let chosen: BlockFilter[] = []
    let group: Group | null = null
    const add = () => {
      if (chosen.length === 0) return
      // Other groups may have columns that were used before.
      group = group?.blocks.includes(null) === true ? group : this.#addGroup()
      addSome(group, chosen)
      chosen = []
    }
    for (const filter of filters) if (chosen.push(filter) === AT_ONCE) add()
    add()
  }

  /** Prepares the place of one more filter. One at a time. */
  open(block: number): OpenColumn {
    const { group, column } = this.#freeColumn()
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

  #freeColumn(): { group: Group; column: number } {
    const group = this.#groups.find(({ blocks }) => blocks.includes(null)) ?? this.#addGroup()
    const column = group.blocks.indexOf(null)
    group.rows = wideEnough(group.rows, column)
    return { group, column }
  }

  #addGroup(): Group {
    const group = { rows: new Uint8Array(this.#bits), blocks: Array(COLUMNS).fill(null), used: 0 }
    this.#groups.push(group)
    return group
  }
}

function addSome(group: Group, chosen: readonly BlockFilter[]): void {
  const column = group.blocks.indexOf(null)
  group.rows = wideEnough(group.rows, column)
  setColumns(group.rows, column, chosen)
  for (const [index, { block, filter }] of chosen.entries()) {
    group.blocks[column + index] = block
    group.used |= 1 << (column + index)
    freeBytes(filter)
  }
}

/** Measured for all filters of a store with 5 million events: 9 MiB in place of 15. Making a row wider takes some 3 ms. */
function wideEnough(rows: Rows, column: number): Rows {
  if (column < rows.BYTES_PER_ELEMENT * 8) return rows
  const wider = column < 16 ? Uint16Array.from(rows) : Uint32Array.from(rows)
  freeBytes(rows)
  return wider
}

/** @param bits those of a filter, beginning with that of the first row */
function setColumn(rows: Rows, column: number, bits: { filter: Uint32Array; from: number }): void {
  const { filter, from } = bits
  const others = ~(1 << column)
  for (let row = 0, bit = from; row < rows.length; row++, bit++) {
    const value = ((filter[bit >>> 5] as number) >>> (bit & 31)) & 1
    rows[row] = ((rows[row] as number) & others) | (value << column)
  }
}

/**
 * Sets up to eight columns at once, which is much faster than one by one. They were never used.
 * @param column a multiple of eight
 */
function setColumns(rows: Rows, column: number, chosen: readonly BlockFilter[]): void {
  const bytes = new Uint8Array(rows.buffer)
  const [a, b, c, d, e, f, g, h] = Array.from({ length: AT_ONCE }, (_, i) => chosen[i]?.filter ?? NO_FILTER) as Eight
  const width = rows.BYTES_PER_ELEMENT
  for (let byte = 0, at = column / 8; at < bytes.length; byte++, at += width * 8) {
    let low = at4(a, b, c, d, byte)
    let high = at4(e, f, g, h, byte)
    low = transposePairs(low)
    high = transposePairs(high)
    const upper = (high & 0xf0f0f0f0) | ((low >>> 4) & 0x0f0f0f0f)
    const lower = ((high << 4) & 0xf0f0f0f0) | (low & 0x0f0f0f0f)
    for (let row = 0; row < 4; row++) {
      bytes[at + row * width] = lower >>> (row * 8)
      bytes[at + (row + 4) * width] = upper >>> (row * 8)
    }
  }
}

const NO_FILTER = new Uint8Array(0)
type Eight = [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array]

/** Four bytes as a word, the first one lowest. */
function at4(a: Uint8Array, b: Uint8Array, c: Uint8Array, d: Uint8Array, at: number): number {
  return (a[at] ?? 0) | ((b[at] ?? 0) << 8) | ((c[at] ?? 0) << 16) | ((d[at] ?? 0) << 24)
}

/** The first two of the three steps that transpose eight bytes, for four of them. Source: Hacker's Delight, 7-3. */
function transposePairs(word: number): number {
  const pairs = (word ^ (word >>> 7)) & 0x00aa00aa
  const paired = word ^ pairs ^ (pairs << 7)
  const fours = (paired ^ (paired >>> 14)) & 0x0000cccc
  return paired ^ fours ^ (fours << 14)
}

/** At once, and not when the memory is next collected: they are large, and an idle thread collects nothing. */
function freeBytes(bytes: Rows | Uint8Array): void {
  const { buffer } = bytes
  if (buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength) buffer.transfer(0)
}
