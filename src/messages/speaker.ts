import { inContext, type Said, type SpokenLanguage, say, tableText, textOf } from './say.ts'

type Tag = (...text: Parameters<typeof say>) => string

/** Says texts in the language of its reader: ``t`${{ name }} is revoked` ``. */
export interface Speaker extends Tag {
  readonly language: SpokenLanguage
  /** A text that was made before, such as one of a table. */
  of(said: Said): string
  /** A text of a table; null: it has none of this code. */
  at(texts: Readonly<Record<string, Said>>, code: string): string | null
  /** Where one English text has several translations: ``t.in('certificate')`expired` ``. */
  in(context: string): Tag
  /** The template in the language, for who fills it in by itself. */
  template(english: string, context?: string): string
}

function speakerOf(language: SpokenLanguage): Speaker {
  const of = (said: Said) => textOf(said, language)
  return Object.assign((...text: Parameters<typeof say>) => of(say(...text)), {
    language,
    of,
    at: (texts: Readonly<Record<string, Said>>, code: string) =>
      Object.hasOwn(texts, code) ? of(texts[code] as Said) : null,
    in:
      (context: string) =>
      (...text: Parameters<typeof say>) =>
        of(inContext(context, say(...text))),
    template: (english: string, context?: string) => tableText(english, language, context),
  })
}

const SPEAKERS: Readonly<Record<SpokenLanguage, Speaker>> = { en: speakerOf('en'), pt: speakerOf('pt') }

export function speaker(language: SpokenLanguage): Speaker {
  return SPEAKERS[language]
}
