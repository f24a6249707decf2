import type { EventWithBody } from '../../domain/event-record.ts'
import type { EventMask } from '../../domain/masking/event-mask.ts'
import { isAmountTerm } from '../../domain/search/amounts.ts'
import type { SearchQuery, SearchTerm, SearchWord } from '../../domain/search/search-query.ts'
import { SEARCH_ALL } from '../../domain/search/search-rule.ts'
import { termsOf } from '../../domain/search/terms.ts'
import { invalidRequest } from '../../platform/errors.ts'

/** Shorter numbers may be a part of a CPF or a phone number, which the index also knows by their parts. */
const SHORTEST_NUMBER = 6
/** Shorter numbers may be the digits of an amount, which are soon guessed. A currency may be a part of the word. */
const GUESSABLE = /^(?:r|rs|brl)?\d{1,7}(?:r|reais|real|brl)?$/

export interface MaskedSearch {
  readonly query: SearchQuery
  /** Words of the query that an event must also match by what a masked reader sees of it. */
  readonly shown: readonly SearchWord[]
}

/**
 * The same search for a reader of masked events: words match whole words only, and numbers whole numbers. With prefixes, or with parts of a number, a
 * reader could find out a masked value piece by piece. Amounts and numbers of fewer than 8 digits must be in what is shown.
 * @throws PortariaError `request_invalid` for a short number
 */
export function wholeWords({ words }: SearchQuery): MaskedSearch {
  const read = words.map(wholeWord)
  return { query: { words: read }, shown: read.filter(mustBeShown) }
}

/** The number if the search is one short number alone, which finds events by their subject; null: it is something else. */
export function shortNumberOf({ words }: SearchQuery): string | null {
  const [word, ...more] = words
  if (word?.kind !== 'terms' || more.length > 0) return null
  // The name of a member may stand in front: identificador=7033.
  const [[term, ...terms] = []] = word.alternatives.slice(-1)
  if (word.alternatives.flat().some(({ text }) => isAmountTerm(text))) return null
  return term !== undefined && terms.length === 0 && isShortNumber(term) ? term.text : null
}

function wholeWord(word: SearchWord): SearchWord {
  if (word.kind !== 'terms') return word
  const alternatives = word.alternatives.filter((terms) => !terms.some(isShortNumber)).map((terms) => terms.map(whole))
  if (alternatives.length === 0) throw invalidRequest('the query is wrong', [{ parameter: 'search', words: TOO_SHORT }])
  const isAmount = alternatives.flat().some(({ text }) => isAmountTerm(text))
  const long = alternatives.filter((terms) => !terms.some(isGuessable))
  return { kind: 'terms', alternatives: isAmount || long.length === 0 ? alternatives : long }
}

const TOO_SHORT = [
  `has a number of fewer than ${SHORTEST_NUMBER} digits, which a token without events.read cannot search for:`,
  'type all digits of the value, or use subject for a short business id',
].join(' ')

function isShortNumber({ text }: SearchTerm): boolean {
  return text.length < SHORTEST_NUMBER && /^\p{N}+$/u.test(text)
}

function mustBeShown(word: SearchWord): boolean {
  return word.kind === 'terms' && word.alternatives.flat().some(isGuessable)
}

function isGuessable({ text }: SearchTerm): boolean {
  return isAmountTerm(text) || GUESSABLE.test(text)
}

function whole({ text }: SearchTerm): SearchTerm {
  return { text, isPrefix: false }
}

/** Whether what a masked reader sees of an event has these whole words; undefined: there are none */
export function shownWith(
  words: readonly SearchWord[],
  mask: EventMask,
): ((event: EventWithBody) => boolean) | undefined {
  if (words.length === 0) return undefined
  return (event) => {
    const { data, subject } = mask(event)
    const body = Buffer.from(data ?? '')
    const terms = termsOf({ body, contentType: 'application/json', subject }, SEARCH_ALL)
    const isMatch = (all: readonly SearchTerm[]) => all.every(({ text }) => terms.has(text))
    return words.every((word) => word.kind !== 'terms' || word.alternatives.some(isMatch))
  }
}

/** For a masked search that found nothing. */
export const WHOLE_WORDS =
  'a token without events.read finds whole words and whole numbers only, amounts where they are shown, and a short number alone as a subject'
