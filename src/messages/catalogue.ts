import { EN } from './en/en.ts'
import { PT } from './pt/pt.ts'

/** All texts for people, grouped by area. A text with values is a function. Each language has every text: the compiler demands it. */
export type Catalogue = Translated<typeof EN>

/** The same keys, with texts of any content. */
type Translated<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...values: infer A) => string
      ? (...values: A) => string
      : Translated<T[K]>
}

export const LANGUAGES = ['en', 'pt'] as const
export type Language = (typeof LANGUAGES)[number]

export const CATALOGUES: Readonly<Record<Language, Catalogue>> = { en: EN, pt: PT }
