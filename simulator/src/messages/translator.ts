interface Template {
  /** Texts and the names of places by turns. */
  readonly parts: readonly string[]
  readonly own: string
  /** Characters of text: the more, the surer a match is. */
  readonly length: number
}

const PLACE = /\{(\w+)\}/
/** What joins texts of which each comes from another place, such as an error and its cause. */
const JOINTS = /(; |: )/
/** Receivers write parts of some texts: what is longer stays as it is. */
const MOST_CHARACTERS = 1500

/**
 * The text in the other language, and texts within its values too. Of a joined text each known part is translated; what is not known stays as it is.
 * @param texts English ones, with values as `{name}`, and each of them in the other language
 */
export function createTranslator(texts: ReadonlyMap<string, string>): (text: string) => string {
  const templates = [...texts]
    .filter(([english]) => PLACE.test(english))
    .map(([english, own]) => templateOf(english.split(PLACE), own))
    .toSorted((one, other) => other.length - one.length)

  function knownOf(text: string): string | null {
    const whole = texts.get(text)
    if (whole !== undefined) return whole
    for (const { parts, own } of templates) {
      const values = valuesIn(parts, text)
      if (values !== null) return own.replaceAll(/\{(\w+)\}/g, (place, name) => inPlace(name, values[name] ?? place))
    }
    return null
  }

  /** A name, a code or a number stays as it is, but in a place for words. */
  function inPlace(name: string, value: string): string {
    return value.includes(' ') || name.startsWith('words') ? translated(value) : value
  }

  function translated(text: string): string {
    if (text.length > MOST_CHARACTERS || !text.includes(' ')) return texts.get(text) ?? text
    return knownOf(text) ?? joinedOf(text)
  }

  function joinedOf(text: string): string {
    const parts = text.split(JOINTS)
    // The whole text is known not to be one.
    return parts.length === 1 ? text : parts.map((part) => knownOf(part) ?? part).join('')
  }

  return translated
}

function templateOf(parts: readonly string[], own: string): Template {
  return { parts, own, length: parts.reduce((sum, part, index) => (index % 2 === 0 ? sum + part.length : sum), 0) }
}

/** Each value is as short as can be; null: the text is not of this template. */
function valuesIn(parts: readonly string[], text: string): Readonly<Record<string, string>> | null {
  const [first = ''] = parts
  if (!text.startsWith(first)) return null
  const values: Record<string, string> = {}
  let from = first.length
  for (let index = 1; index < parts.length; index += 2) {
    const behind = parts[index + 1] ?? ''
    const isLast = index + 2 === parts.length
    const end = isLast ? text.length - behind.length : text.indexOf(behind, from + 1)
    if (end <= from || !text.startsWith(behind, end)) return null
    values[parts[index] ?? ''] = text.slice(from, end)
    from = end + behind.length
  }
  return values
}
