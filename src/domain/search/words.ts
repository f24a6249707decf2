/** How text becomes terms: the same functions serve the index and the query, so that both cut and compare alike. */

/** UTF-16 code units of a term; a longer one is cut there, in the index and in a query. */
export const MAX_TERM = 64

/** A query's word of this length or more matches as a prefix. */
export const PREFIX_LENGTH = 4

const ASCII = /^[\x00-\x7f]*$/
const SPACE = /\s/
const SPACES = /\s+/
const NOT_ALNUM = /[^\p{L}\p{N}]+/u

/** Characters that separate values in forms, markup and lists; comma and colon only where no digit is on both sides. */
const STRUCTURE = /[<>"'=&;{}()[\]|$?]+|,(?!\d)|:(?!\d)|(?<!\d)[,:]/

/** Lower case without accents, and compatibility characters as plain ones (Unicode NFKD). */
export function plainText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  let plain = ''
  for (let at = 0; at < text.length; at++) {
    const letter = LATIN[text.charCodeAt(at)]
    // Letters beyond ISO 8859-1 depend on their neighbours.
    if (letter === undefined) return fold(text)
    plain += letter
  }
  return plain
}

/** What people type for the apostrophe of Dʼávila. Some of them are letters to Unicode, or a space with an accent. */
const APOSTROPHES = /[’‘´′＇\u02b9-\u02df]/g

function fold(text: string): string {
  // Upper case first, so that letters with two lower-case forms become one: ß and ss, ς and σ.
  const lower = text.toUpperCase().toLowerCase().replaceAll('ς', 'σ').replaceAll(APOSTROPHES, "'")
  // Without its accents before, too: normalizing sorts a run of them, in quadratic time.
  return withoutMarks(withoutMarks(lower).normalize('NFKD')).toLowerCase()
}

function withoutMarks(text: string): string {
  return text.replaceAll(/\p{M}+/gu, '')
}

/** ISO 8859-1, letter by letter: nearly every text of the service. */
const LATIN: readonly string[] = Array.from({ length: 256 }, (_, code) => fold(String.fromCharCode(code)))

/** The chunks of plain text between white space. */
export function chunksOf(plain: string): string[] {
  if (!SPACE.test(plain)) return plain === '' ? [] : [plain]
  return plain.split(SPACES).filter((chunk) => chunk !== '')
}

/** Letters and digits of plain text, cut to the length of a term. '' if there are none. */
export function compactOf(plain: string): string {
  return cutTerm(partsOf(plain).join(''))
}

/** The runs of letters and digits. */
export function partsOf(plain: string): string[] {
  const parts: string[] = []
  let start = -1
  for (let at = 0; at < plain.length; at++) {
    const code = plain.charCodeAt(at)
    if (code > 0x7f) return plain.split(NOT_ALNUM).filter((part) => part !== '')
    const isAlnum = (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)
    if (isAlnum === start >= 0) continue
    if (!isAlnum) parts.push(plain.slice(start, at))
    start = isAlnum ? at : -1
  }
  if (start >= 0) parts.push(start === 0 ? plain : plain.slice(start))
  return parts
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
