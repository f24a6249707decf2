import type { Language } from '../../conformance/text.ts'
import { EN } from './en.ts'
import { PORTUGUESE } from './portuguese-texts.ts'
import { PT } from './pt.ts'
import type { Words } from './type.ts'

export type { Words } from './type.ts'

export const WORDS: Readonly<Record<Language, Words>> = { en: EN, pt: PT }

/** A text of the OpenAPI documents, the control API or the table of codes, which are English, in the language of the page. */
export function textIn({ language }: Pick<Words, 'language'>, text: string): string {
  return language === 'pt' ? (PORTUGUESE[text] ?? text) : text
}
