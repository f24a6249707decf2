import type { Catalogue } from './catalogue.ts'
import { EN } from './en/en.ts'
import { PT } from './pt/pt.ts'

export const LANGUAGES = ['en', 'pt'] as const
export type Language = (typeof LANGUAGES)[number]

export const CATALOGUES: Readonly<Record<Language, Catalogue>> = { en: EN, pt: PT }
