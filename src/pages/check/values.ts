import type { SpokenLanguage } from '../../messages/say.ts'
import { type Part, partsInto } from '../../messages/translator.ts'
import { printable } from '../../platform/control-characters.ts'
import { type Html, html } from '../parts/html.ts'
import { withTimes } from '../parts/time.ts'

/** Longer texts are lists of what is wrong: the page shows their beginning. */
const READ_CHARACTERS = 4000

/** A text of the report in the reader's language, what is English in it as a quotation; null: it is none of the known texts. @param most characters */
export function reportWords(text: string, language: SpokenLanguage, most: number): Html | null {
  const parts = partsInto(language, text.slice(0, READ_CHARACTERS))
  if (!parts.some(({ kind }) => kind === 'own')) return null
  let left = most
  const shown = parts.flatMap((part) => {
    if (left <= 0) return []
    const cut = part.text.length > left ? `${part.text.slice(0, left).toWellFormed()}…` : part.text
    left -= part.text.length
    return [shownPart({ ...part, text: cut })]
  })
  return html`${shown}`
}

function shownPart({ text, kind }: Part): Html {
  return kind === 'foreign' ? html`<q lang="en">${printable(text)}</q>` : withTimes(printable(text))
}
