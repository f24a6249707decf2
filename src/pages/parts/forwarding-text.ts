import { FORWARDING_TEXTS, type ForwardingText, forwardingTextIn } from '../../domain/forwarding/forwarding-texts.ts'
import { say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { type Html, html } from './html.ts'
import { shortened } from './shortened-text.ts'

/** Why an address is forbidden, where its range has a name in both languages. */
const NETWORKS: ReadonlySet<string> = new Set(
  [say`private network`, say`cloud metadata`].map(({ template }) => template),
)

/** The API never gives a longer text. */
const LONGEST = 1000

/**
 * What the gateway says about forwarding, in the reader's language. English words of others, and a text that is none of the gateway's, are
 * marked as English.
 * @param most characters of each value
 */
export function forwardingHtml(text: string, t: Speaker, most = LONGEST): Html {
  const known = forwardingTextIn(text)
  return known === null ? html`<span lang="en">${shortened(text, most)}</span>` : filledIn(known, t, most)
}

function filledIn({ code, values, step }: ForwardingText, t: Speaker, most: number): Html {
  const parts = t
    .template(FORWARDING_TEXTS[code])
    .split(/\{(\w+)\}/)
    .map((part, index) => {
      if (index % 2 === 0) return part
      if (part === 'step' && step !== null) return filledIn(step, t, most)
      const given = values[part] ?? ''
      if (NETWORKS.has(given)) return t.template(given)
      const value = shortened(given, most)
      return part === 'detail' ? html`<q lang="en">${value}</q>` : value
    })
  return html`${parts}`
}
