export const LANGUAGES = ['en', 'pt'] as const
export type Language = (typeof LANGUAGES)[number]

/** A text in every language of the report. */
export type Text = Readonly<Record<Language, string>>

export function text(en: string, pt: string): Text {
  return { en, pt }
}

/** Texts as sentences of one text. */
export function joined(texts: readonly Text[], separator = '; '): Text {
  const join = (language: Language) => texts.map((one) => one[language]).join(separator)
  return text(join('en'), join('pt'))
}
