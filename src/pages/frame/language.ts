import { LANGUAGES, type Language } from '../../messages/languages.ts'

/** The best of the languages that the header accepts (RFC 9110 section 12.5.4); English if it accepts none. */
export function languageFor(acceptLanguage: string | undefined): Language {
  const ranges = (acceptLanguage ?? '')
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [range = '', ...parameters] = part.trim().toLowerCase().split(';')
      const written = parameters.map((one) => one.trim()).find((one) => one.startsWith('q='))
      return { range, quality: written === undefined ? 1 : Number(written.slice(2)) || 0 }
    })
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality)
  for (const { range } of ranges) {
    const found = LANGUAGES.find((language) => range === language || range.startsWith(`${language}-`))
    if (found !== undefined) return found
  }
  return 'en'
}

/** BCP 47, for `lang` and for the forms of numbers and times. */
export const LANGUAGE_TAGS: Readonly<Record<Language, string>> = { en: 'en', pt: 'pt-BR' }
