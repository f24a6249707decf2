import { readFileSync } from 'node:fs'
import { programFile } from '../platform/program-files.ts'
import { englishTemplate, filledIn, type Said } from '../platform/said.ts'
import { contextual, type Translations, translationsIn } from './po.ts'

/** The languages that people are spoken to in. */
export type SpokenLanguage = 'en' | 'pt'

export { type Filling, inContext, plural, type Said, say } from '../platform/said.ts'

/** In the language, or in English where it has no such text. */
export function textOf(said: Said, language: SpokenLanguage): string {
  return partsOf(said, language).join('')
}

/** The same with texts and values by turns, for a sentence whose value is a link. */
export function partsOf(said: Said, language: SpokenLanguage): string[] {
  const { template, context, one } = said
  const known = translationsOf(language).get(contextual(context, template))
  const own = typeof known === 'object' ? known[one !== undefined && isSingular(one.count, language) ? 0 : 1] : known
  return filledIn(own ?? englishTemplate(said), said, (value) => textOf(value, language))
}

/** A text of a table, without values. @param context where it may have another translation */
export function tableText(text: string, language: SpokenLanguage, context?: string): string {
  return knownText(text, language, context) ?? knownText(text, language) ?? text
}

/** null: the language has no such text */
export function knownText(text: string, language: SpokenLanguage, context?: string): string | null {
  const own = translationsOf(language).get(contextual(context, text))
  return typeof own === 'string' ? own : null
}

/** In Portuguese 0 is singular, too (CLDR). */
function isSingular(count: number, language: SpokenLanguage): boolean {
  return language === 'pt' ? Math.abs(count) < 2 : count === 1
}

const NONE: Translations = new Map()
let portuguese: Translations | null = null

/** Read once, by a process that speaks Portuguese. */
export function translationsOf(language: SpokenLanguage): Translations {
  if (language === 'en') return NONE
  portuguese ??= translationsIn(readFileSync(programFile('src/messages/pt.po'), 'utf8'))
  return portuguese
}
