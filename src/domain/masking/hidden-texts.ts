import { partsOf, plainText } from '../search/words.ts'

/** A text with letters of at least this length is found inside other values; a shorter one only where it is the whole value. */
const BEGINNING = 5
/** Digits alone are too common in fewer places: a house number is found in amounts. */
const TELLING_DIGITS = 8
/** Hidden texts with the same beginning that are compared one by one; with more of them the beginning alone counts. */
const COMPARED = 50

/**
 * The texts of masked values. Finds values that repeat one of them, also inside a longer text, and with other punctuation, accents or case:
 * a name in a description, or a CPF with dots. Time is proportional to the length of what is compared.
 */
export class HiddenTexts {
  readonly #written = new Set<string>()
  readonly #whole = new Set<string>()
  readonly #byBeginning = new Map<string, string[]>()

  add(text: string): void {
    if (text === '' || this.#written.has(text)) return
    this.#written.add(text)
    const compact = compactOf(text)
    const isTelling = /\D/.test(compact) ? compact.length > 1 : compact.length >= TELLING_DIGITS
    if (!isTelling) return
    this.#whole.add(compact)
    if (compact.length < BEGINNING) return
    const beginning = compact.slice(0, BEGINNING)
    const same = this.#byBeginning.get(beginning) ?? []
    if (same.length < COMPARED) same.push(same.length === COMPARED - 1 ? beginning : compact)
    this.#byBeginning.set(beginning, same)
  }

  get isEmpty(): boolean {
    return this.#written.size === 0
  }

  /** Whether the text repeats a hidden one. */
  repeats(text: string): boolean {
    if (this.#whole.size === 0) return false
    const compact = compactOf(text)
    if (this.#whole.has(compact)) return true
    for (let at = 0; at + BEGINNING <= compact.length; at++) {
      const same = this.#byBeginning.get(compact.slice(at, at + BEGINNING))
      if (same?.some((hidden) => compact.startsWith(hidden, at))) return true
    }
    return false
  }

  /** Whether the text repeats a hidden one, or is equal to one, however short. */
  contains(text: string): boolean {
    return this.#written.has(text) || this.repeats(text)
  }
}

function compactOf(text: string): string {
  return partsOf(plainText(text)).join('')
}
