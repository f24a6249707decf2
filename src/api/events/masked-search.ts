import type { SearchQuery, SearchTerm, SearchWord } from '../../domain/search/search-query.ts'
import { invalidRequest } from '../../platform/errors.ts'

/** Shorter numbers may be a part of a CPF or a phone number, which the index also knows by their parts. */
const SHORTEST_NUMBER = 6

/**
 * The same search for a reader of masked events: words match whole words only, and numbers whole numbers. With prefixes, or with parts of a number, a
 * reader could find out a masked value piece by piece.
 * @throws PortariaError `request_invalid` for a short number
 */
export function wholeWords({ words }: SearchQuery): SearchQuery {
  return { words: words.map(wholeWord) }
}

function wholeWord(word: SearchWord): SearchWord {
  if (word.kind !== 'terms') return word
  const alternatives = word.alternatives.filter((terms) => !terms.some(isShortNumber)).map((terms) => terms.map(whole))
  if (alternatives.length === 0) throw invalidRequest('the query is wrong', [{ parameter: 'search', words: TOO_SHORT }])
  return { kind: 'terms', alternatives }
}

const TOO_SHORT = [
  `has a number of fewer than ${SHORTEST_NUMBER} digits, which a token without events.read cannot search for:`,
  'type all digits of the value, or use subject for a short business id',
].join(' ')

function isShortNumber({ text }: SearchTerm): boolean {
  return text.length < SHORTEST_NUMBER && /^\p{N}+$/u.test(text)
}

function whole({ text }: SearchTerm): SearchTerm {
  return { text, isPrefix: false }
}

/** For a masked search that found nothing. */
export const WHOLE_WORDS = 'a token without events.read finds whole words and whole numbers only'
