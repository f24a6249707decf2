import { type Html, html } from './html.ts'

const LONGEST = 20
const END = 6

/**
 * An id, a hash or an address. A long one is shortened in its middle as far as the page has no room for it: its text, which is read out, searched and
 * copied, stays whole, and its title is all of it.
 */
export function idOf(text: string): Html {
  const characters = [...text]
  if (characters.length <= LONGEST) return html`<span class="id whole">${text}</span>`
  const [start, end] = [characters.slice(0, -END).join(''), characters.slice(-END).join('')]
  return html`<span class="id cut" title="${text}"><span>${start}</span>${end}</span>`
}
