/** Texts with values in place of `{name}`. */

const PLACE = /\{(\w+)\}/

/** Texts and the names of places by turns: 'no {kind} here' → 'no ', 'kind', ' here'. */
export function partsOf(template: string): string[] {
  return template.split(PLACE)
}

export function hasPlaces(template: string): boolean {
  return PLACE.test(template)
}

/** The values that the text has at the template's places, each as short as can be; null: it is not of this template. */
export function valuesIn(template: string, text: string): Readonly<Record<string, string>> | null {
  const parts = partsOf(template)
  const [first = ''] = parts
  if (parts.length === 1) return text === template ? {} : null
  if (!text.startsWith(first)) return null
  const values: Record<string, string> = {}
  let from = first.length
  for (let index = 1; index < parts.length; index += 2) {
    const name = parts[index] ?? ''
    const value = valueAt(text, from, {
      known: values[name],
      behind: parts[index + 1] ?? '',
      isLast: index + 2 === parts.length,
    })
    if (value === null) return null
    values[name] = value
    from += value.length + (parts[index + 1] ?? '').length
  }
  return values
}

interface PlaceInText {
  /** Its value at an earlier place of the same name. */
  readonly known: string | undefined
  /** The template's text behind the place. */
  readonly behind: string
  readonly isLast: boolean
}

/** The shortest value there. A longer one is not tried: it would let no more texts match, and texts made for it would take a search seconds. */
function valueAt(text: string, from: number, { known, behind, isLast }: PlaceInText): string | null {
  if (known !== undefined) {
    const isThere =
      text.startsWith(known + behind, from) && (!isLast || text.length === from + known.length + behind.length)
    return isThere ? known : null
  }
  const end = isLast ? text.length - behind.length : text.indexOf(behind, from + 1)
  return end > from && text.startsWith(behind, end) ? text.slice(from, end) : null
}

/** How much of the template is text, in characters: the more, the surer a match is. */
export function textLengthOf(template: string): number {
  return partsOf(template).reduce((sum, part, index) => (index % 2 === 0 ? sum + part.length : sum), 0)
}
