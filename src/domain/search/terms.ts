import { readBodyText } from '../../platform/body-text.ts'
import { isJsonText, parsePointer } from '../../platform/json-text.ts'
import { amountOf, amountsBefore, amountsOfNumber } from './amounts.ts'
import { type ExcludedPaths, scanJson } from './json-values.ts'
import type { SearchRule } from './search-rule.ts'
import { spacedAmountsIn, withoutOpenCarrier } from './spellings.ts'
import { chunksOf, compactOf, cutTerm, partsOf, piecesOf, plainText } from './words.ts'

export interface SearchedEvent {
  /** The bytes of a delivery of the event. */
  readonly body: Uint8Array
  readonly contentType: string | null
  readonly subject: string | null
}

/** Terms of one event; what comes later in its body gives none. */
export const MAX_TERMS = 1000

/** A value of at least so many digits also gives them in one term, such as a phone number. */
const MIN_JOINED_DIGITS = 8

/**
 * The terms under which an event is found: of its subject, and of the values in its body. Names of members give none. A body that is no text gives
 * none; one that is no JSON and no form gives none if the rule excludes members, because they cannot be found in it.
 */
export function termsOf({ body, contentType, subject }: SearchedEvent, rule: SearchRule): Set<string> {
  const terms = new Terms()
  const hidden = new Set<string>()
  const text = decode(body, contentType)
  const excluded = compile(rule)
  // Excluded values must be known before the subject, which may be one of them.
  if (excluded.length > 0) addBody({ text, contentType }, excluded, terms, hidden)
  if (subject !== null && !hidden.has(subject)) terms.addText(subject)
  if (excluded.length === 0) addBody({ text, contentType }, excluded, terms, hidden)
  return terms.all
}

interface DecodedBody {
  readonly text: string | null
  readonly contentType: string | null
}

function addBody({ text, contentType }: DecodedBody, excluded: ExcludedPaths, terms: Terms, hidden: Set<string>): void {
  if (text === null) return
  if (/^\s*[[{"]/.test(text)) {
    if (excluded.length > 0 && !isJsonText(text)) return
    scanJson(text, excluded, {
      text: (value) => terms.addText(value),
      bare: (written) => terms.addBare(written),
      excluded: (value) => hidden.add(value),
    })
  } else if (isForm(text, contentType)) {
    for (const [name, value] of new URLSearchParams(text)) {
      const isExcluded = excluded.some(([first, ...more]) => more.length === 0 && (first === name || first === '*'))
      if (isExcluded) hidden.add(value)
      else if (!terms.addText(value)) return
    }
  } else if (excluded.length === 0) terms.addText(text)
}

/** Callers send forms under any content type, so one without white space counts by its looks. */
function isForm(text: string, contentType: string | null): boolean {
  if (/^\s*[\w.%+[\]-]+=[^\s]*\s*$/.test(text)) return true
  return contentType !== null && /^application\/x-www-form-urlencoded\b/i.test(contentType) && text.includes('=')
}

const WORD = /^[a-z0-9]{1,64}$/

let lastRule: SearchRule | undefined
let lastPaths: ExcludedPaths = []

/** Events of one kind come one after another, and each has the same rule. */
function compile(rule: SearchRule): ExcludedPaths {
  if (rule !== lastRule) {
    lastRule = rule
    lastPaths = rule.exclude.map(parsePointer)
  }
  return lastPaths
}

const BINARY = /[\x00-\x08\x0e-\x1a\x1c-\x1f]/

/** As the interpreter reads it, or as ISO 8859-1, which old systems send; null: no text. */
function decode(body: Uint8Array, contentType: string | null): string | null {
  const read = readBodyText(body, contentType)
  if (read !== null) return read.text
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1')
  return BINARY.test(text) ? null : text
}

/** Collects terms. Its methods return false once there are as many as an event may have. */
class Terms {
  readonly all = new Set<string>()

  addText(value: string): boolean {
    const plain = withoutOpenCarrier(plainText(value))
    if (WORD.test(plain)) return this.#add(plain)
    const chunks = chunksOf(plain)
    if (chunks.length > 1) {
      this.#addJoinedDigits(plain)
      for (const amount of spacedAmountsIn(plain)) this.#addPiece(amount)
    }
    for (const chunk of chunks) if (!this.#addChunk(chunk)) return false
    return true
  }

  /** A JSON number, or a word in its place in a text that is no JSON. */
  addBare(written: string): boolean {
    if (!/^-?\d/.test(written)) return this.addText(written)
    for (const term of amountsOfNumber(written)) this.#add(term)
    return this.#addParts(written.toLowerCase())
  }

  #addChunk(chunk: string): boolean {
    const pieces = piecesOf(chunk)
    for (const piece of pieces) if (!this.#addPiece(piece)) return false
    return pieces.length === 0 ? this.#addPiece(chunk) : this.#add(compactOf(chunk))
  }

  #addPiece(piece: string): boolean {
    if (/\d[.,]\d/.test(piece)) this.#addAmounts(piece)
    return this.#addParts(piece)
  }

  #addParts(piece: string): boolean {
    const parts = partsOf(piece)
    if (parts.length > 1) for (const part of parts) if (part.length > 1) this.#add(cutTerm(part))
    return this.#add(cutTerm(parts.join('')))
  }

  #addAmounts(piece: string): void {
    const amount = amountOf(piece)
    if (amount !== null) this.#add(amount.term)
    else for (const term of amountsBefore(piece.replace(/^[^a-z0-9]+/, ''))) this.#add(term)
  }

  #addJoinedDigits(plain: string): void {
    if (!/^[\d\s\p{P}\p{S}]+$/u.test(plain)) return
    const digits = plain.replaceAll(/\D+/g, '')
    if (digits.length >= MIN_JOINED_DIGITS) this.#add(cutTerm(digits))
  }

  #add(term: string): boolean {
    if (this.all.size >= MAX_TERMS) return false
    if (term !== '') this.all.add(term)
    return true
  }
}
