import { type ForwardingText, forwardingTextIn } from '../../domain/forwarding/forwarding-texts.ts'
import type { Catalogue } from '../../messages/catalogue.ts'
import { type Html, html } from './html.ts'
import { shortened } from './shortened-text.ts'

/** The API never gives a longer text. */
const LONGEST = 1000

/**
 * What the gateway says about forwarding, in the reader's language. English words of others, and a text that is none of the gateway's, are
 * marked as English.
 * @param most characters of each value
 */
export function forwardingHtml(text: string, words: Catalogue, most = LONGEST): Html {
  const known = forwardingTextIn(text)
  return known === null ? html`<span lang="en">${shortened(text, most)}</span>` : filledIn(known, words, most)
}

function filledIn({ code, values, step }: ForwardingText, words: Catalogue, most: number): Html {
  const parts = words.forwarding[code].split(/\{(\w+)\}/).map((part, index) => {
    if (index % 2 === 0) return part
    if (part === 'step' && step !== null) return filledIn(step, words, most)
    const given = values[part] ?? ''
    if (Object.hasOwn(words.networks, given)) return words.networks[given as keyof typeof words.networks]
    const value = shortened(given, most)
    return part === 'detail' ? html`<q lang="en">${value}</q>` : value
  })
  return html`${parts}`
}
