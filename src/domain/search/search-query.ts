import { PortariaError } from '../../platform/errors.ts'
import { amountOf, type WrittenAmount } from './amounts.ts'
import { datesOf, documentsOf, phonesOf, typedChunks, valuesIn } from './typed-text.ts'
import { compactOf, cutTerm, PREFIX_LENGTH, partsOf, piecesOf } from './words.ts'

export const SEARCH_LIMITS = { characters: 200, words: 10 } as const

/** What a search looks for. It consists of plain values, so that threads can pass it on. */
export interface SearchQuery {
  /** An event must match all of them. Never empty. */
  readonly words: readonly SearchWord[]
}

export type SearchWord =
  /** An event matches that has all terms of one alternative. */
  | { readonly kind: 'terms'; readonly alternatives: readonly (readonly SearchTerm[])[] }
  /** Events whose position is in one of the ranges. `noncePrefix`: only if the random part of their id begins so; null: any. */
  | { readonly kind: 'positions'; readonly ranges: readonly NumberRange[]; readonly noncePrefix: string | null }
  /** The events of the deliveries whose number is in one of the ranges. */
  | { readonly kind: 'deliveries'; readonly ranges: readonly NumberRange[] }

export interface SearchTerm {
  readonly text: string
  readonly isPrefix: boolean
}

/** Both ends are inclusive. */
export interface NumberRange {
  readonly from: number
  readonly to: number
}

/**
 * Reads the text of a search: words between white space, all of which are needed.
 * @throws PortariaError `request_invalid` for a text without letters and digits, and for one that is too long
 */
export function parseSearch(text: string): SearchQuery {
  const { characters, words: most } = SEARCH_LIMITS
  if (text.length > characters)
    throw invalid(`the search has ${text.length} characters: type at most ${characters}, such as the id alone`)
  const read = readWords(typedChunks(text))
  if (read.length > most)
    throw invalid(`the search has ${read.length} words: type at most ${most}; the rarest ones find an event alone`)
  const words = joinDigits(read)
  if (words.length === 0)
    throw invalid(
      'the search has no letter and no digit: type a value of the payload, such as a txid, a CPF, a name or 150,10',
    )
  return { words }
}

interface ReadWord {
  readonly word: SearchWord
  /** The digits of a word of digits and punctuation, or the letters and digits of one that may be a part of an id; null: it is something else. */
  readonly digits: string | null
}

function readWords(chunks: readonly string[]): ReadWord[] {
  return chunks.flatMap((chunk, index) => {
    // R$ makes an amount of the next word, and is no word itself.
    if (chunk === CURRENCY) return []
    const next = chunks[index + 1]
    // d’Arc may be typed in two words.
    if (/^\p{L}$/u.test(chunk) && next !== undefined && /^\p{L}{2,}$/u.test(next)) {
      const alternatives = [[termOf(chunk)], [termOf(compactOf(chunk + next))]]
      return [{ word: { kind: 'terms', alternatives }, digits: null }]
    }
    const amount = chunks[index - 1] === CURRENCY ? `${CURRENCY}${chunk}` : chunk
    const typed = amountOf(amount) === null ? chunk : amount
    const word = wordOf(typed)
    return word === null ? [] : [{ word, digits: digitsOf(typed) }]
  })
}

const CURRENCY = 'r$'

function digitsOf(chunk: string): string | null {
  if (amountOf(chunk) !== null || datesOf(chunk).length > 0) return null
  if (/^[\d\p{P}\p{S}]+$/u.test(chunk)) return chunk.replaceAll(/\D+/g, '')
  // A part of an id that a line break cut.
  return /^[a-z0-9-]*\d[a-z0-9-]*$/.test(chunk) ? compactOf(chunk) : null
}

function wordOf(chunk: string): SearchWord | null {
  // As pasted from the address of a page, a sentence or a JSON text.
  const id = /\/((?:evt|dlv)_\w+)(?=[/?#]|$)/.exec(chunk)?.[1] ?? chunk.replaceAll(/^[^a-z0-9]+|[^a-z0-9_]+$/g, '')
  return positionsOf(id) ?? deliveriesOf(id) ?? namedWord(chunk)
}

/** A value may be pasted with the name of its member, or in an address. */
function namedWord(chunk: string): SearchWord | null {
  const word = termsWord(chunk)
  if (word === null) return null
  const values = valuesIn(chunk).flatMap((value) => termsWord(value)?.alternatives ?? [])
  return { kind: 'terms', alternatives: [...word.alternatives, ...values] }
}

function termsWord(chunk: string): Extract<SearchWord, { kind: 'terms' }> | null {
  const amount = amountOf(chunk)
  if (amount?.isCertain)
    return {
      kind: 'terms',
      alternatives: [...amountTexts(amount, chunk).map((text) => [whole(text)]), ...wholeReais(amount)],
    }
  const compact = compactOf(chunk)
  if (compact === '') return null
  const alternatives = [[termOf(compact)]]
  const parts = partsOf(chunk)
  // Parts of one character have no term, and parts of digits alone are in every date.
  const isApart = parts.every((part) => part.length > 1) || chunk.includes("'")
  if (parts.length > 1 && isApart && /[^\d\p{P}\p{S}]/u.test(chunk))
    alternatives.push(parts.map((part) => termOf(cutTerm(part))))
  if (amount !== null) alternatives.push([whole(amount.term)])
  for (const date of datesOf(chunk)) alternatives.push([termOf(date)])
  if (digitsOf(chunk) !== null)
    for (const other of [...phonesOf(compact), ...documentsOf(compact)]) alternatives.push([whole(other)])
  return { kind: 'terms', alternatives }
}

/** An amount without cents in a text, where digits alone are no amount: `R$ 1500`, `1500 reais`. */
function wholeReais({ term, isWhole }: WrittenAmount): SearchTerm[][] {
  const units = /^\D(\d+)00$/.exec(term)?.[1]
  if (units === undefined || isWhole) return []
  return ['r', 'reais'].map((unit) => [whole(units), whole(unit)])
}

/** The term of the amount, or for whole units the piece with their digits, as the index has it. */
function amountTexts({ term, isWhole }: WrittenAmount, chunk: string): string[] {
  if (!isWhole) return [term]
  const pieces = piecesOf(chunk).map(compactOf)
  return [term, ...pieces.filter((text) => /\d/.test(text))]
}

function whole(text: string): SearchTerm {
  return { text, isPrefix: false }
}

function termOf(text: string): SearchTerm {
  return { text, isPrefix: text.length >= PREFIX_LENGTH }
}

/** A number may be typed in groups and stored in one, such as a phone number or a CPF: neighbouring words of digits match joined, too. */
function joinDigits(read: readonly ReadWord[]): SearchWord[] {
  const words: SearchWord[] = []
  let at = 0
  while (at < read.length) {
    let end = at
    while (end < read.length && read[end]?.digits != null) end++
    const group = read.slice(at, Math.max(end, at + 1))
    const digits = group.map((one) => one.digits).join('')
    if (group.length > 1 && digits.length >= 8) words.push(joined(group, digits))
    else words.push(...group.map(({ word }) => word))
    at += group.length
  }
  return words
}

function joined(group: readonly ReadWord[], digits: string): SearchWord {
  const apart = group.flatMap(({ word }) => (word.kind === 'terms' ? (word.alternatives[0] ?? []) : []))
  const phones = phonesOf(digits).map((phone) => [whole(phone)])
  return { kind: 'terms', alternatives: [apart, [termOf(cutTerm(digits))], ...phones] }
}

/** `evt_1a`: the events whose id begins so; `evt_1a_` with the beginning of the random part: one event. */
function positionsOf(id: string): SearchWord | null {
  const match = /^evt_([1-9a-z][0-9a-z]{0,10})(?:_([0-9a-z]{0,10}))?$/.exec(id)
  if (match?.[1] === undefined) return null
  const position = Number.parseInt(match[1], 36)
  if (!Number.isSafeInteger(position)) return null
  if (match[2] === undefined) return { kind: 'positions', ranges: rangesFrom(position, 36), noncePrefix: null }
  return { kind: 'positions', ranges: [{ from: position, to: position }], noncePrefix: match[2] || null }
}

function deliveriesOf(id: string): SearchWord | null {
  const match = /^dlv_([1-9][0-9]{0,14})$/.exec(id)
  return match === null ? null : { kind: 'deliveries', ranges: rangesFrom(Number(match[1]), 10) }
}

/** The numbers whose digits begin with those of `start`. */
function rangesFrom(start: number, base: number): NumberRange[] {
  const ranges: NumberRange[] = []
  let size = 1
  while (start * size <= Number.MAX_SAFE_INTEGER) {
    ranges.push({ from: start * size, to: Math.min((start + 1) * size - 1, Number.MAX_SAFE_INTEGER) })
    size *= base
  }
  return ranges
}

function invalid(message: string): PortariaError {
  return new PortariaError('request_invalid', message)
}
