import type { EventFilter } from '../../../domain/event-record.ts'
import type { SearchTerm, SearchWord } from '../../../domain/search/search-query.ts'
import { filterWords } from '../../rules/filter-terms.ts'

/*
 * The lexemes of an event are its terms behind the number of its block, so a search reads the index block by block, the newest first: it ends with the
 * page, and never reads all events that have a frequent word, or all words that begin with a frequent prefix.
 */

/** Positions of a block. */
export const BLOCK = 16_384

export function blockOf(position: number): number {
  return Math.floor(position / BLOCK)
}

/** A word of a search: one of these lists of terms. */
export type TermWord = Extract<SearchWord, { kind: 'terms' }>['alternatives']

/** As text of the type `tsvector`. */
export function vectorOf(position: number, receivedAt: number, terms: Iterable<string>): string {
  const block = blockOf(position)
  const lexemes = [...timeTerms(receivedAt)].map((term) => lexeme(block, term))
  for (const term of terms) lexemes.push(lexeme(block, term))
  return lexemes.join(' ')
}

/** As text of the type `tsquery`: all of the words. */
export function queryOf(block: number, words: readonly TermWord[]): string {
  const ofTerm = ({ text, isPrefix }: SearchTerm) => `${lexeme(block, text)}${isPrefix ? ':*' : ''}`
  const ofWord = (word: TermWord) => word.map((terms) => terms.map(ofTerm).join(' & ')).join(' | ')
  return words.map((word) => `(${ofWord(word)})`).join(' & ')
}

/** Identifiers and their beginnings. A day is as long, and in few blocks. */
const RARE_LENGTH = 8
const isRare = ({ text, isPrefix }: SearchTerm) => isPrefix && text.length >= RARE_LENGTH && /\d/.test(text)

/**
 * The words that lead to few events: beside a rare one, the index would read all events under a frequent prefix for nothing. The others are compared with
 * what was found.
 */
export function rareWords(words: readonly TermWord[]): readonly TermWord[] {
  const rarest = words.map((word) =>
    word.map((terms) => (terms.some(isRare) ? terms.filter((term) => isRare(term) || !term.isPrefix) : terms)),
  )
  const leadsToFew = (word: TermWord) => word.every((terms) => terms.some(isRare))
  if (!rarest.some(leadsToFew)) return rarest
  return rarest.filter((word) => leadsToFew(word) || !word.flat().some(({ isPrefix }) => isPrefix))
}

function lexeme(block: number, term: string): string {
  return `'${block}:${term.replaceAll(/['\\]/g, '$&$&')}'`
}

/** The members of a filter that are terms. */
export function wordsOfFilter(filter: EventFilter): TermWord[] {
  return filterWords(filter).map(oneOf)
}

function oneOf(texts: readonly string[]): TermWord {
  return texts.map((text) => [{ text, isPrefix: false }])
}

const DAY_MS = 86_400_000
/** A longer period is looked up by its months. */
const MOST_DAYS = 31

/** The day and the month of receipt. No word contains the control character. */
function timeTerms(at: number): [day: string, month: string] {
  const day = new Date(at).toISOString().slice(0, 10)
  return [`\u0001d${day}`, `\u0001m${day.slice(0, 7)}`]
}

/** Events of a period have one of these terms; others may have them, too. @param to inclusive */
export function wordOfPeriod(from: number, to: number): TermWord {
  const isShort = to - from < MOST_DAYS * DAY_MS
  const terms = new Set<string>()
  for (let at = from; ; at += DAY_MS) {
    const [day, month] = timeTerms(Math.min(at, to))
    terms.add(isShort ? day : month)
    if (at >= to) return oneOf([...terms])
  }
}
