import { randomInt } from 'node:crypto'

const ROOT = 0

/** Odd, and unknown to callers, who could choose texts whose steps all belong into one place of the table otherwise. */
const [NODE_FACTOR, UNIT_FACTOR] = [oddNumber(), oddNumber()]

function oddNumber(): number {
  return randomInt(2 ** 31) * 2 + 1
}

/**
 * Finds out whether a text contains one of many others, in one walk: an automaton of Aho and Corasick (1975) over UTF-16 code units. Time and memory are
 * proportional to the length of the texts, however many of them begin or end alike.
 */
export class TextAutomaton {
  #nodes = 1
  /** The node of the longest other beginning that the text of a node ends with. */
  readonly #suffixOf: Int32Array
  /** 1: the text of a node ends with a wanted one. */
  readonly #isEnd: Uint8Array
  /** Steps from node to node: a hash table with open addressing, at most half full. No step leads to the root, so 0 in `#to` is a free slot. */
  readonly #from: Int32Array
  readonly #unit: Uint16Array
  readonly #to: Int32Array
  readonly #shift: number

  /** @param wanted none of them empty */
  constructor(wanted: readonly string[]) {
    const most = wanted.reduce((sum, { length }) => sum + length, 1)
    this.#suffixOf = new Int32Array(most)
    this.#isEnd = new Uint8Array(most)
    this.#shift = Math.clz32(most) - 1
    const slots = 2 ** (32 - this.#shift)
    this.#from = new Int32Array(slots)
    this.#unit = new Uint16Array(slots)
    this.#to = new Int32Array(slots)
    this.#build(wanted)
  }

  isIn(text: string): boolean {
    let node = ROOT
    for (let at = 0; at < text.length; at++) {
      node = this.#step(node, text.charCodeAt(at))
      if (this.#isEnd[node] === 1) return true
    }
    return false
  }

  /** Letter by letter of all texts, so that every shorter beginning is known when a suffix is looked for. */
  #build(wanted: readonly string[]): void {
    let open = wanted.map((text) => ({ text, node: ROOT }))
    for (let at = 0; open.length > 0; at++) {
      for (const one of open) one.node = this.#extend(one.node, one.text.charCodeAt(at))
      for (const { text, node } of open) if (text.length === at + 1) this.#isEnd[node] = 1
      // What contains a shorter wanted text is found by that.
      open = open.filter(({ node }) => this.#isEnd[node] === 0)
    }
  }

  #extend(from: number, unit: number): number {
    const slot = this.#slotOf(from, unit)
    const known = this.#to[slot] as number
    if (known !== ROOT) return known
    const node = this.#nodes++
    const suffix = from === ROOT ? ROOT : this.#step(this.#suffixOf[from] as number, unit)
    this.#suffixOf[node] = suffix
    this.#isEnd[node] = this.#isEnd[suffix] as number
    this.#from[slot] = from
    this.#unit[slot] = unit
    this.#to[slot] = node
    return node
  }

  /** The node of the longest beginning that the text of `from` ends with, with this code unit behind it. */
  #step(from: number, unit: number): number {
    for (let node = from; ; node = this.#suffixOf[node] as number) {
      const next = this.#to[this.#slotOf(node, unit)] as number
      if (next !== ROOT || node === ROOT) return next
    }
  }

  #slotOf(node: number, unit: number): number {
    const last = this.#to.length - 1
    let slot = (Math.imul(node, NODE_FACTOR) + Math.imul(unit, UNIT_FACTOR)) >>> this.#shift
    while (this.#to[slot] !== ROOT && (this.#from[slot] !== node || this.#unit[slot] !== unit)) slot = (slot + 1) & last
    return slot
  }
}
