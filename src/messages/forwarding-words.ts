import { forwardingTextIn } from '../domain/forwarding/forwarding-texts.ts'
import type { Catalogue } from './catalogue.ts'

/** What the gateway says about forwarding, in another language. A text that is none of the gateway's stays as it is. */
export function forwardingWords(text: string, { forwarding }: Pick<Catalogue, 'forwarding'>): string {
  const known = forwardingTextIn(text)
  if (known === null) return text
  return forwarding[known.code].replaceAll(/\{(\w+)\}/g, (_, name: string) => known.values[name] ?? '')
}
