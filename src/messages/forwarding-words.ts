import { FORWARDING_TEXTS, forwardingTextIn } from '../domain/forwarding/forwarding-texts.ts'
import type { Speaker } from './speaker.ts'

/** What the gateway says about forwarding, in another language. A text that is none of the gateway's stays as it is. */
export function forwardingWords(text: string, t: Speaker): string {
  const known = forwardingTextIn(text)
  if (known === null) return text
  return t
    .template(FORWARDING_TEXTS[known.code])
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => known.values[name] ?? '')
}
