/** How text becomes terms: the same functions serve the index and the query, so that both cut and compare alike. */

/** UTF-16 code units of a term; a longer one is cut there, in the index and in a query. */
export const MAX_TERM = 64

/** A query's word of this length or more matches as a prefix. */
export const PREFIX_LENGTH = 4

const ASCII = /^[\x00-\x7f]*$/
const NOT_ALNUM_ASCII = /[^a-z0-9]+/
const NOT_ALNUM = /[^\p{L}\p{N}]+/u

/** Characters that separate values in forms, markup and lists; comma and colon only where no digit is on both sides. */
const STRUCTURE = /[<>"'=&;{}()[\]|$?]+|,(?!\d)|:(?!\d)|(?<!\d)[,:]/

/** Lower case without accents, and compatibility characters as plain ones (Unicode NFKD). */
export function plainText(text: string): string {
  const lower = text.toLowerCase()
  if (ASCII.test(lower)) return lower
  // Upper case first, so that letters with two lower-case forms become one: ß and ss, ς and σ.
  return text
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
}

/** The chunks of plain text between white space. */
export function chunksOf(plain: string): string[] {
  return plain.split(/\s+/).filter((chunk) => chunk !== '')
}

/** Letters and digits of plain text, cut to the length of a term. '' if there are none. */
export function compactOf(plain: string): string {
  return cutTerm(partsOf(plain).join(''))
}

/** The runs of letters and digits. */
export function partsOf(plain: string): string[] {
  return plain.split(ASCII.test(plain) ? NOT_ALNUM_ASCII : NOT_ALNUM).filter((part) => part !== '')
}

/** The pieces of a chunk that holds several values, such as `cpf=123.456.789-00;nome=Ana`; empty: it is one value. */
export function piecesOf(chunk: string): string[] {
  if (!STRUCTURE.test(chunk)) return []
  return chunk.split(STRUCTURE).filter((piece) => piece !== '')
}

/** Cuts a term, never inside a surrogate pair. */
export function cutTerm(term: string): string {
  if (term.length <= MAX_TERM) return term
  const last = term.charCodeAt(MAX_TERM - 1)
  return term.slice(0, last >= 0xd800 && last <= 0xdbff ? MAX_TERM - 1 : MAX_TERM)
}
