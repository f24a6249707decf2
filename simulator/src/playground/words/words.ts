import type { Language } from '../../conformance/text.ts'
import { portuguese } from '../../messages/po.ts'
import { EN } from './en.ts'

/** What the pages say in one language. */
export type Words = typeof EN & { readonly language: Language }

let own: Words | null = null

/** English where a text has no translation. */
export function wordsOf(language: Language): Words {
  if (language === 'en') return { ...EN, language }
  own ??= { ...inPortuguese(EN, portuguese('playground')), language }
  return own
}

function inPortuguese<T extends object>(words: T, translations: ReadonlyMap<string, string>): T {
  const entries = Object.entries(words).map(([name, value]: [string, string | object]) => [
    name,
    typeof value === 'string' ? (translations.get(value) ?? value) : inPortuguese(value, translations),
  ])
  return Object.fromEntries(entries)
}

/** @param template with places as `{name}` */
export function filled(template: string, values: Readonly<Record<string, string | number | undefined>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ''))
}

/** A text of the OpenAPI documents, the control API or the table of codes, which are English, in the language of the page. */
export function textIn({ language }: Pick<Words, 'language'>, text: string): string {
  return language === 'pt' ? (portuguese('document').get(text) ?? text) : text
}
