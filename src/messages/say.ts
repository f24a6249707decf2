import { readFileSync } from 'node:fs'
import { programFile } from '../platform/program-files.ts'
import { contextual, type Translations, translationsIn } from './po.ts'

/** The languages that people are spoken to in. */
export type SpokenLanguage = 'en' | 'pt'

/** What a place of a text may hold. A text within a text is translated by itself. */
export type Filling = string | number | Said

/** A text before it is in a language: its English template with places as `{name}`, and what they hold. */
export interface Said {
  readonly template: string
  readonly values: Readonly<Record<string, Filling>>
  /** Where one English text has several translations: which one is meant. */
  readonly context?: string
  /** The template for one, where `template` is for several, and how many there are. */
  readonly one?: { readonly template: string; readonly count: number }
}

type Place = Readonly<Record<string, Filling>>

/** A text in English, each value with its name: ``say`${{ name }} is revoked` ``. */
export function say(parts: TemplateStringsArray, ...places: readonly Place[]): Said {
  const names = places.map((place) => Object.keys(place)[0] ?? '')
  const template = parts.map((part, at) => (at === 0 ? part : `{${names[at - 1]}}${part}`)).join('')
  return { template, values: Object.assign({}, ...places) }
}

/** The same text with another translation: `inContext('of a certificate', say`valid`)`. */
export function inContext(context: string, said: Said): Said {
  return { ...said, context }
}

/** English and Portuguese have two forms. `{count}` is filled in by itself. */
export function plural(count: number, one: Said, several: Said): Said {
  return { ...several, values: { count, ...one.values, ...several.values }, one: { template: one.template, count } }
}

/** In the language, or in English where it has no such text. */
export function textOf(said: Said, language: SpokenLanguage): string {
  return partsOf(said, language).join('')
}

/** The same with texts and values by turns, for a sentence whose value is a link. */
export function partsOf({ template, values, context, one }: Said, language: SpokenLanguage): string[] {
  const known = translationsOf(language).get(contextual(context, template))
  const isOne = one !== undefined && isSingular(one.count, language)
  const own = typeof known === 'object' ? known[isOne ? 0 : 1] : known
  return (own ?? (one?.count === 1 ? one.template : template))
    .split(/\{(\w+)\}/)
    .map((part, at) => (at % 2 === 0 ? part : filled(values[part], language)))
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

/** In Portuguese, 0 is singular (CLDR). */
function isSingular(count: number, language: SpokenLanguage): boolean {
  return language === 'pt' ? count < 2 : count === 1
}

function filled(value: Filling | undefined, language: SpokenLanguage): string {
  return typeof value === 'object' ? textOf(value, language) : String(value ?? '')
}

const NONE: Translations = new Map()
let portuguese: Translations | null = null

/** Read once, by a process that speaks Portuguese. */
export function translationsOf(language: SpokenLanguage): Translations {
  if (language === 'en') return NONE
  portuguese ??= translationsIn(readFileSync(programFile('src/messages/pt.po'), 'utf8'))
  return portuguese
}
