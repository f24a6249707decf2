import { portuguese } from '../messages/po.ts'

export const LANGUAGES = ['en', 'pt'] as const
export type Language = (typeof LANGUAGES)[number]

/** A text in every language of the report. */
export type Text = Readonly<Record<Language, string>>

type Values = Readonly<Record<string, string | number | Text>>

/** @param english with values as `{name}`; src/messages/pt.po has its Portuguese; what is not there is said in English */
export function text(english: string, values: Values = {}): Text {
  return {
    en: filled(english, values, 'en'),
    get pt() {
      return filled(portuguese('conformance').get(english) ?? english, values, 'pt')
    },
  }
}

function filled(template: string, values: Values, language: Language): string {
  return template.replaceAll(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name] ?? place
    return typeof value === 'object' ? value[language] : String(value)
  })
}

/** What is the same in every language. */
export function verbatim(words: string): Text {
  return { en: words, pt: words }
}

/** Texts as sentences of one text. */
export function joined(texts: readonly Text[], separator = '; '): Text {
  const join = (language: Language) => texts.map((one) => one[language]).join(separator)
  return { en: join('en'), pt: join('pt') }
}
