import type { SearchTerm, SearchWord } from '../../../domain/search/search-query.ts'
import type { Connection } from '../database/connection.ts'
import { prepareOnce } from '../database/prepared.ts'
import { PageReader, SPAN } from './run-format.ts'
import type { SearchRun } from './search-runs.ts'

/** An event must have, of each word, all terms of one alternative. */
export type TermWord = Extract<SearchWord, { kind: 'terms' }>['alternatives']

interface SoughtTerm {
  readonly bytes: Buffer
  /** Sorts after all terms that begin so. */
  readonly end: Buffer
  readonly isPrefix: boolean
}

/** Finds the events of a run that match all words. */
export class RunLookup {
  readonly #words: readonly (readonly (readonly SoughtTerm[])[])[]
  readonly #page
  readonly #morePages
  readonly #reader = new PageReader()
  readonly #all = new Bits()
  readonly #word = new Bits()
  readonly #alternative = new Bits()
  readonly #term = new Bits()

  /** @param words the rarest first is fastest */
  constructor(db: Connection, words: readonly TermWord[]) {
    this.#words = words.map((alternatives) => alternatives.map((terms) => terms.map(soughtTerm)))
    this.#page = prepareOnce<[number, Buffer], Buffer>(
      db,
      'select data from search_pages where run = ? and first_term <= ? order by first_term desc limit 1',
    ).pluck()
    this.#morePages = prepareOnce<[number, Buffer, Buffer], Buffer>(
      db,
      'select data from search_pages where run = ? and first_term > ? and first_term < ? order by first_term',
    ).pluck()
  }

  /** Positions, newest first. */
  positions({ id, first, last }: SearchRun, from: number, to: number): number[] {
    const span = last - first + 1
    this.#all.open(span)
    for (const [at, alternatives] of this.#words.entries()) {
      this.#findWord(id, alternatives, span)
      if (at === 0) this.#all.add(this.#word)
      else this.#all.keep(this.#word)
      if (this.#all.isEmpty()) return []
    }
    return this.#all.positions(first, from, to)
  }

  #findWord(run: number, alternatives: readonly (readonly SoughtTerm[])[], span: number): void {
    this.#word.open(span)
    for (const terms of alternatives) {
      if (terms.length === 1) {
        this.#addTerm(run, terms[0] as SoughtTerm, this.#word)
        continue
      }
      this.#alternative.open(span)
      for (const [at, term] of terms.entries()) {
        this.#term.open(span)
        this.#addTerm(run, term, this.#term)
        if (at === 0) this.#alternative.add(this.#term)
        else this.#alternative.keep(this.#term)
        if (this.#alternative.isEmpty()) break
      }
      this.#word.add(this.#alternative)
    }
  }

  #addTerm(run: number, term: SoughtTerm, to: Bits): void {
    const page = this.#page.get(run, term.bytes)
    if (page === undefined) return
    const isComplete = this.#addFrom(page, term, to)
    if (isComplete || !term.isPrefix) return
    for (const more of this.#morePages.iterate(run, term.bytes, term.end)) if (this.#addFrom(more, term, to)) return
  }

  /** True: the page has a later term than those that match. */
  #addFrom(page: Buffer, { bytes, isPrefix }: SoughtTerm, to: Bits): boolean {
    const reader = this.#reader
    reader.open(page)
    // Bytes that the term before shares with the sought one, which sorts after it.
    let common = 0
    for (;;) {
      if (!reader.next()) return false
      if (reader.shared > common) continue
      if (reader.shared < common) return true
      const { term, termLength } = reader
      while (common < termLength && common < bytes.length && term[common] === bytes[common]) common++
      if (common === bytes.length) break
      if (common < termLength && (term[common] as number) > (bytes[common] as number)) return true
    }
    if (!isPrefix) {
      if (reader.termLength === bytes.length) reader.setBits(to.bytes)
      return true
    }
    for (;;) {
      reader.setBits(to.bytes)
      // The terms that match may go on in the next page.
      if (!reader.next()) return false
      if (reader.shared < bytes.length) return true
    }
  }
}

function soughtTerm({ text, isPrefix }: SearchTerm): SoughtTerm {
  const bytes = Buffer.from(text)
  return { bytes, end: Buffer.concat([bytes, LAST_BYTE]), isPrefix }
}

/** In no UTF-8 text. */
const LAST_BYTE = Buffer.from([0xff])

/** A set of offsets. */
class Bits {
  readonly #buffer = new ArrayBuffer(SPAN / 8)
  bytes = new Uint8Array(this.#buffer)
  #words = new Uint32Array(this.#buffer)

  /** Makes it empty. */
  open(span: number): void {
    const words = (span + 31) >>> 5
    this.bytes = new Uint8Array(this.#buffer, 0, words * 4)
    this.#words = new Uint32Array(this.#buffer, 0, words)
    this.#words.fill(0)
  }

  add(other: Bits): void {
    for (let at = 0; at < this.#words.length; at++)
      this.#words[at] = (this.#words[at] as number) | (other.#words[at] as number)
  }

  keep(other: Bits): void {
    for (let at = 0; at < this.#words.length; at++)
      this.#words[at] = (this.#words[at] as number) & (other.#words[at] as number)
  }

  isEmpty(): boolean {
    return this.#words.every((word) => word === 0)
  }

  /** Newest first. */
  positions(first: number, from: number, to: number): number[] {
    const positions: number[] = []
    for (let at = this.bytes.length - 1; at >= 0; at--) {
      const byte = this.bytes[at] as number
      if (byte === 0) continue
      for (let bit = 7; bit >= 0; bit--) {
        if ((byte & (1 << bit)) === 0) continue
        const position = first + at * 8 + bit
        if (position >= from && position <= to) positions.push(position)
      }
    }
    return positions
  }
}
