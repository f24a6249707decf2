/**
 * A run is an inverted index of the events at a range of positions. Its terms are sorted by their bytes, front-coded and cut into pages:
 *
 *     entry = length shared with the term before (1 byte), length of the rest (1), the rest, head (varint), positions
 *     head  = offset << 1 | 1          one position, and nothing follows
 *           | bytes of the list << 2 | 0   differences between sorted offsets (varints)
 *           | bytes of the map << 2 | 2    one bit per offset
 *
 * An offset is a position minus that of the run's `first`. A page repeats nothing of the page before, so each can be read alone. The empty term contains the
 * offset of every event in the run.
 */

/** A page is full at this length, so that two of them fit into a page of the database. */
export const PAGE_BYTES = 3900
/** Positions that a run covers at most. Offsets fit into 16 bits. */
export const SPAN = 65_536
/** The most bytes of a term: a length is one byte. */
export const TERM_BYTES = 255

const MAP_MARK = 2

/** Writes the pages of one run. Terms must arrive in order, each once. */
export class RunWriter {
  #bytes = new Uint8Array(1 << 16)
  #length = 0
  #pageStart = -1
  readonly #previous = new Uint8Array(TERM_BYTES)
  #previousLength = 0
  readonly #pageBytes: number

  /** @param pageBytes a page is full at this length */
  constructor(pageBytes: number = PAGE_BYTES) {
    this.#pageBytes = pageBytes
  }

  /** @param offsets sorted; at least one */
  add(term: Uint8Array, termLength: number, offsets: ArrayLike<number>, count: number): void {
    const last = offsets[count - 1] as number
    this.#reserve(termLength + 16 + Math.min(count * 3, (last >> 3) + 1))
    if (this.#pageStart < 0 || this.#length - this.#pageStart >= this.#pageBytes) this.#beginPage()
    const start = this.#length
    this.#writeEntry(term, termLength, offsets, count)
    // A page of several entries does not exceed its length by the last one.
    if (this.#length - this.#pageStart > this.#pageBytes + 4 && start > this.#pageStart + 4) {
      this.#length = start
      this.#beginPage()
      this.#writeEntry(term, termLength, offsets, count)
    }
    this.#previous.set(termLength === term.length ? term : term.subarray(0, termLength))
    this.#previousLength = termLength
  }

  /** All pages, each after its length in four bytes. */
  end(): Uint8Array {
    this.#endPage()
    return this.#bytes.slice(0, this.#length)
  }

  #beginPage(): void {
    this.#endPage()
    this.#pageStart = this.#length
    this.#length += 4
    this.#previousLength = 0
  }

  #endPage(): void {
    if (this.#pageStart < 0) return
    const length = this.#length - this.#pageStart - 4
    for (let at = 0; at < 4; at++) this.#bytes[this.#pageStart + at] = length >>> (8 * at)
  }

  #writeEntry(term: Uint8Array, termLength: number, offsets: ArrayLike<number>, count: number): void {
    const bytes = this.#bytes
    let shared = 0
    const most = Math.min(termLength, this.#previousLength)
    while (shared < most && term[shared] === this.#previous[shared]) shared++
    bytes[this.#length++] = shared
    bytes[this.#length++] = termLength - shared
    for (let at = shared; at < termLength; at++) bytes[this.#length++] = term[at] as number
    if (count === 1) this.#length = writeVarint(bytes, this.#length, ((offsets[0] as number) << 1) | 1)
    else this.#writeOffsets(offsets, count)
  }

  #writeOffsets(offsets: ArrayLike<number>, count: number): void {
    const mapLength = ((offsets[count - 1] as number) >> 3) + 1
    const listLength = lengthOfList(offsets, count)
    const bytes = this.#bytes
    if (mapLength < listLength) {
      const start = writeVarint(bytes, this.#length, (mapLength << 2) | MAP_MARK)
      bytes.fill(0, start, start + mapLength)
      for (let at = 0; at < count; at++) {
        const offset = offsets[at] as number
        const place = start + (offset >> 3)
        bytes[place] = (bytes[place] as number) | (1 << (offset & 7))
      }
      this.#length = start + mapLength
      return
    }
    let place = writeVarint(bytes, this.#length, listLength << 2)
    let before = 0
    for (let at = 0; at < count; at++) {
      const offset = offsets[at] as number
      place = writeVarint(bytes, place, offset - before)
      before = offset
    }
    this.#length = place
  }

  #reserve(more: number): void {
    const needed = this.#length + more + 300
    if (needed <= this.#bytes.length) return
    const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2))
    larger.set(this.#bytes)
    this.#bytes = larger
  }
}

function lengthOfList(offsets: ArrayLike<number>, count: number): number {
  let length = 0
  let before = 0
  for (let at = 0; at < count; at++) {
    const difference = (offsets[at] as number) - before
    length += difference < 128 ? 1 : difference < 16_384 ? 2 : 3
    before = offsets[at] as number
  }
  return length
}

function writeVarint(bytes: Uint8Array, at: number, value: number): number {
  let rest = value
  let place = at
  while (rest > 127) {
    bytes[place++] = (rest & 127) | 128
    rest >>>= 7
  }
  bytes[place++] = rest
  return place
}

/** The pages in what RunWriter made. */
export function* pagesOf(run: Uint8Array): Generator<Uint8Array> {
  const view = new DataView(run.buffer, run.byteOffset, run.length)
  for (let at = 0; at < run.length; ) {
    const length = view.getUint32(at, true)
    yield run.subarray(at + 4, at + 4 + length)
    at += 4 + length
  }
}

/** The first term of a page. */
export function firstTermOf(page: Uint8Array): Uint8Array {
  return page.subarray(2, 2 + (page[1] as number))
}

/** Reads the entries of one page in order. */
export class PageReader {
  /** The term of the current entry: its first `termLength` bytes. */
  readonly term = new Uint8Array(TERM_BYTES)
  termLength = 0
  /** Bytes that the current term shares with the one before. */
  shared = 0
  #page: Uint8Array = NOTHING
  #at = 0
  #head = 0
  #postings = 0

  open(page: Uint8Array): void {
    this.#page = page
    this.#at = 0
    this.termLength = 0
  }

  /** False: the page has ended. */
  next(): boolean {
    const page = this.#page
    let at = this.#at
    if (at >= page.length) return false
    const shared = page[at++] as number
    const rest = page[at++] as number
    const { term } = this
    for (let to = shared, end = shared + rest; to < end; ) term[to++] = page[at++] as number
    this.shared = shared
    this.termLength = shared + rest
    let head = page[at++] as number
    if (head > 127) {
      let shift = 7
      let byte: number
      head &= 127
      do {
        byte = page[at++] as number
        head |= (byte & 127) << shift
        shift += 7
      } while (byte > 127)
    }
    this.#head = head
    this.#postings = at
    this.#at = (head & 1) === 1 ? at : at + (head >>> 2)
    return true
  }

  /** Writes the offsets of the current entry, each plus `shift`, from `at` on. Returns the end. */
  readOffsets(to: Uint32Array, at: number, shift: number): number {
    const head = this.#head
    let end = at
    if ((head & 1) === 1) {
      to[end++] = (head >>> 1) + shift
      return end
    }
    const page = this.#page
    const stop = this.#at
    if ((head & MAP_MARK) !== 0) {
      for (let place = this.#postings, base = shift; place < stop; place++, base += 8)
        for (let byte = page[place] as number; byte !== 0; byte &= byte - 1)
          to[end++] = base + 31 - Math.clz32(byte & -byte)
      return end
    }
    for (let place = this.#postings, offset = shift; place < stop; ) {
      let byte = page[place++] as number
      let difference = byte & 127
      for (let shift = 7; byte > 127; shift += 7) {
        byte = page[place++] as number
        difference |= (byte & 127) << shift
      }
      offset += difference
      to[end++] = offset
    }
    return end
  }

  /** Sets the bits of the current entry's offsets. */
  setBits(bits: Uint8Array): void {
    const head = this.#head
    if ((head & 1) === 1) {
      const offset = head >>> 1
      bits[offset >> 3] = (bits[offset >> 3] as number) | (1 << (offset & 7))
      return
    }
    const page = this.#page
    const stop = this.#at
    if ((head & MAP_MARK) !== 0) {
      for (let place = this.#postings, to = 0; place < stop; place++, to++)
        bits[to] = (bits[to] as number) | (page[place] as number)
      return
    }
    for (let place = this.#postings, offset = 0; place < stop; ) {
      let byte = page[place++] as number
      let difference = byte & 127
      for (let shift = 7; byte > 127; shift += 7) {
        byte = page[place++] as number
        difference |= (byte & 127) << shift
      }
      offset += difference
      bits[offset >> 3] = (bits[offset >> 3] as number) | (1 << (offset & 7))
    }
  }
}

const NOTHING = new Uint8Array()

/** Below 0: `one` sorts before `other`. */
export function compareTerms(one: Uint8Array, oneLength: number, other: Uint8Array, otherLength: number): number {
  const most = Math.min(oneLength, otherLength)
  for (let at = 0; at < most; at++) {
    const difference = (one[at] as number) - (other[at] as number)
    if (difference !== 0) return difference
  }
  return oneLength - otherLength
}
