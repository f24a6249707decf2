import { compareTerms, PageReader, SPAN, TERM_BYTES } from './run-format.ts'

/** A page cannot be read, or is not in order. */
export class UnreadableRun extends Error {}

/** A term of an event that is in one run only. */
export interface RunDifference {
  readonly offset: number
  /** true: the stored run lacks it; false: only the stored run has it. */
  readonly isMissing: boolean
}

interface ComparedRuns {
  readonly stored: readonly Uint8Array[]
  readonly expected: readonly Uint8Array[]
  /** Offsets of `expected` are this much smaller. */
  readonly shift?: number
  /** Positions that the stored run covers. */
  readonly span: number
}

/**
 * Compares two runs term by term, however they are cut into pages.
 * @throws UnreadableRun
 */
export function* differencesOf({ stored, expected, shift = 0, span }: ComparedRuns): Generator<RunDifference> {
  const one = new EntryReader(stored, 0, span)
  const other = new EntryReader(expected, shift, span)
  let hasOne = one.next()
  let hasOther = other.next()
  while (hasOne || hasOther) {
    const order = !hasOne ? 1 : !hasOther ? -1 : compareTerms(one.term, one.termLength, other.term, other.termLength)
    if (order === 0) yield* compareOffsets(one.offsets(), other.offsets())
    else yield* offsetsOnly(order < 0 ? one.offsets() : other.offsets(), order > 0)
    if (order <= 0) hasOne = one.next()
    if (order >= 0) hasOther = other.next()
  }
}

function* compareOffsets(one: Uint32Array, other: Uint32Array): Generator<RunDifference> {
  let [at, otherAt] = [0, 0]
  while (at < one.length || otherAt < other.length) {
    const offset = one[at] ?? Number.POSITIVE_INFINITY
    const otherOffset = other[otherAt] ?? Number.POSITIVE_INFINITY
    if (offset !== otherOffset) yield { offset: Math.min(offset, otherOffset), isMissing: otherOffset < offset }
    if (offset <= otherOffset) at++
    if (otherOffset <= offset) otherAt++
  }
}

function* offsetsOnly(offsets: Uint32Array, isMissing: boolean): Generator<RunDifference> {
  for (const offset of offsets) yield { offset, isMissing }
}

/** Reads the entries of all pages of a run, and checks their order. */
class EntryReader {
  readonly #reader = new PageReader()
  readonly #pages: Iterator<Uint8Array>
  readonly #offsets = new Uint32Array(2 * SPAN)
  readonly #before = new Uint8Array(TERM_BYTES)
  #beforeLength = -1
  readonly #shift: number
  readonly #span: number

  constructor(pages: readonly Uint8Array[], shift: number, span: number) {
    this.#pages = pages[Symbol.iterator]()
    this.#shift = shift
    this.#span = span
  }

  get term(): Uint8Array {
    return this.#reader.term
  }

  get termLength(): number {
    return this.#reader.termLength
  }

  /** False: there are no more. @throws UnreadableRun */
  next(): boolean {
    while (!this.#reader.next()) {
      const page = this.#pages.next()
      if (page.done === true) return false
      this.#reader.open(page.value)
    }
    const { term, termLength } = this.#reader
    if (!(termLength <= TERM_BYTES)) throw new UnreadableRun()
    if (this.#beforeLength >= 0 && compareTerms(term, termLength, this.#before, this.#beforeLength) <= 0)
      throw new UnreadableRun()
    this.#before.set(term.subarray(0, termLength))
    this.#beforeLength = termLength
    return true
  }

  /** Valid until the next call. @throws UnreadableRun */
  offsets(): Uint32Array {
    const count = this.#reader.readOffsets(this.#offsets, 0, this.#shift)
    const offsets = this.#offsets.subarray(0, count)
    for (let at = 0; at < offsets.length; at++) {
      const offset = offsets[at] as number
      if (offset >= this.#span || (at > 0 && offset <= (offsets[at - 1] as number))) throw new UnreadableRun()
    }
    if (count === 0 || count > offsets.length) throw new UnreadableRun()
    return offsets
  }
}
