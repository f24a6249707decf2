import { hasPlaces, partsOf, textLengthOf, valuesIn } from './templates.ts'

/** English texts, with values as `{name}`, and each of them in another language. */
export type Texts = Readonly<Record<string, string>>

/** What texts are joined with where each comes from another place, such as an error and its cause. */
const JOINTS = /(; |: )/

/**
 * The text in the other language, and texts within its values too. Of a joined text each known part is translated; what is not known stays as it is.
 */
export function createTranslator(texts: Texts): (text: string) => string {
  const templates = Object.keys(texts)
    .filter(hasPlaces)
    .toSorted((one, other) => textLengthOf(other) - textLengthOf(one))
    .map((template) => ({ template, longest: longestText(template) }))

  function known(text: string): string | null {
    if (Object.hasOwn(texts, text)) return texts[text] ?? null
    for (const { template, longest } of templates) {
      const values = text.includes(longest) ? valuesIn(template, text) : null
      if (values !== null) return filled(texts[template] ?? '', values)
    }
    return null
  }

  function filled(own: string, values: Readonly<Record<string, string>>): string {
    return partsOf(own)
      .map((part, index) => (index % 2 === 0 ? part : valueAt(values[part] ?? '')))
      .join('')
  }

  /** Names and codes are one word. */
  function valueAt(value: string): string {
    return value.includes(' ') ? translate(value) : value
  }

  function translate(text: string): string {
    const whole = known(text)
    if (whole !== null) return whole
    const parts = text.split(JOINTS)
    let translated = ''
    for (let begin = 0; begin < parts.length; ) {
      const { own, end } = longestKnown(parts, begin)
      translated += own + (parts[end] ?? '')
      begin = end + 1
    }
    return translated
  }

  /** The most parts from this one on that are one known text. */
  function longestKnown(parts: readonly string[], begin: number): { readonly own: string; readonly end: number } {
    for (let end = parts.length; end > begin; end -= 2) {
      const own = known(parts.slice(begin, end).join(''))
      if (own !== null) return { own, end }
    }
    return { own: parts[begin] ?? '', end: begin + 1 }
  }

  return translate
}

function longestText(template: string): string {
  return partsOf(template)
    .filter((_, index) => index % 2 === 0)
    .reduce((longest, part) => (part.length > longest.length ? part : longest), '')
}
