import { partsOf, plainText } from '../search/words.ts'
import { TextAutomaton } from './text-automaton.ts'

/** A text with letters of at least this length is found inside other values; a shorter one only where it is the whole value. */
const SHORTEST_INSIDE = 5
/** Digits alone are too common in fewer places: a house number is found in amounts. */
const TELLING_DIGITS = 8
/** Letters and digits of a text that are looked for: a value with so many of them repeats it. */
const LONGEST = 64

/**
 * The texts of masked values. Finds values that repeat one of them, also inside a longer text, and with other punctuation, accents or case:
 * a name in a description, or a CPF with dots. Time is proportional to the length of the texts and of what is compared.
 */
export class HiddenTexts {
  readonly #written = new Set<string>()
  readonly #whole = new Set<string>()
  /** null: not yet built from the texts. */
  #inside: TextAutomaton | null = null

  add(text: string): void {
    if (text === '' || this.#written.has(text)) return
    this.#written.add(text)
    const compact = compactOf(text)
    const isTelling = /\D/.test(compact) ? compact.length > 1 : compact.length >= TELLING_DIGITS
    if (!isTelling) return
    this.#whole.add(compact.slice(0, LONGEST))
    this.#inside = null
  }

  get isEmpty(): boolean {
    return this.#written.size === 0
  }

  /** Whether the text repeats a hidden one. */
  repeats(text: string): boolean {
    if (this.#whole.size === 0) return false
    const compact = compactOf(text)
    if (this.#whole.has(compact)) return true
    this.#inside ??= new TextAutomaton([...this.#whole].filter(({ length }) => length >= SHORTEST_INSIDE))
    return this.#inside.isIn(compact)
  }

  /** Whether the text repeats a hidden one, or is equal to one, however short. */
  contains(text: string): boolean {
    return this.#written.has(text) || this.repeats(text)
  }
}

function compactOf(text: string): string {
  return partsOf(plainText(text)).join('')
}
