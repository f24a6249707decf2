/** Texts with values in place of `{name}`. */

const PLACE = /\{(\w+)\}/

/** Texts and the names of places by turns: 'no {kind} here' → 'no ', 'kind', ' here'. */
export function partsOf(template: string): string[] {
  return template.split(PLACE)
}

export function hasPlaces(template: string): boolean {
  return PLACE.test(template)
}

const patterns = new Map<string, RegExp>()

/** The values that the text has at the template's places; null: it is not of this template. */
export function valuesIn(template: string, text: string): Readonly<Record<string, string>> | null {
  if (!hasPlaces(template)) return text === template ? {} : null
  const pattern = patterns.get(template) ?? patternOf(template)
  patterns.set(template, pattern)
  return pattern.exec(text)?.groups ?? null
}

function patternOf(template: string): RegExp {
  const named = new Set<string>()
  const parts = partsOf(template).map((part, index) => {
    if (index % 2 === 0) return part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    if (named.has(part)) return `\\k<${part}>`
    named.add(part)
    return `(?<${part}>.+?)`
  })
  return new RegExp(`^${parts.join('')}$`, 's')
}

/** How much of the template is text, in characters: the more, the surer a match is. */
export function textLengthOf(template: string): number {
  return partsOf(template).reduce((sum, part, index) => (index % 2 === 0 ? sum + part.length : sum), 0)
}
