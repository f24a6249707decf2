import { LANGUAGES, type Language } from '../conformance/text.ts'

/** BCP 47. */
export const LANGUAGE_TAGS: Readonly<Record<Language, string>> = { en: 'en', pt: 'pt-BR' }

export const LANGUAGE_COOKIE = 'portaria-playground-language'

/** The language that the person chose, or the best that the browser accepts (RFC 9110 section 12.5.4); English without either. */
export function languageOf({
  cookie = '',
  'accept-language': accepted = '',
}: {
  readonly cookie?: string | undefined
  readonly 'accept-language'?: string | undefined
}): Language {
  const chosen = new RegExp(`(?:^|; *)${LANGUAGE_COOKIE}=(en|pt)(?:;|$)`).exec(cookie)?.[1]
  if (chosen !== undefined) return chosen as Language
  const ranges = accepted
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [range = '', ...parameters] = part.trim().toLowerCase().split(';')
      const written = parameters.map((one) => one.trim()).find((one) => one.startsWith('q='))
      return { range, quality: written === undefined ? 1 : Number(written.slice(2)) || 0 }
    })
    .filter(({ quality }) => quality > 0)
    .toSorted((one, other) => other.quality - one.quality)
  for (const { range } of ranges) {
    const found = LANGUAGES.find((language) => range === language || range.startsWith(`${language}-`))
    if (found !== undefined) return found
  }
  return 'en'
}
