import { printable } from '../../platform/control-characters.ts'

/** The beginning of a long or untrusted text, for a table, with control characters visible. The detail page has all of it. */
export function shortened(text: string, most = 80): string {
  const characters = [...printable(text.slice(0, (most + 1) * 2))]
  return characters.length <= most ? characters.join('') : `${characters.slice(0, most - 1).join('')}…`
}
