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

/** Texts and values by turns. @param own the template in the language of `fill` */
export function filledIn(own: string, { values }: Said, fill: (said: Said) => string): string[] {
  return own.split(/\{(\w+)\}/).map((part, at) => {
    if (at % 2 === 0) return part
    const value = values[part]
    return typeof value === 'object' ? fill(value) : String(value ?? '')
  })
}

/** In English a number other than 1 has the form for several. */
export function englishTemplate({ template, one }: Said): string {
  return one?.count === 1 ? one.template : template
}

export function inEnglish(said: Said): string {
  return filledIn(englishTemplate(said), said, inEnglish).join('')
}

/** As other programs get it: each value a text in English. */
export interface Written {
  readonly template: string
  readonly values: Readonly<Record<string, string>>
}

export function asWritten(said: Said): Written {
  const values = Object.entries(said.values).map(([name, value]) => [
    name,
    typeof value === 'object' ? inEnglish(value) : String(value),
  ])
  return { template: englishTemplate(said), values: Object.fromEntries(values) }
}
