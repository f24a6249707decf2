import type { Catalogue } from '../../messages/catalogue.ts'
import { printable } from '../../platform/control-characters.ts'
import { breakable } from './breakable.ts'
import { type Html, html } from './html.ts'

/** What a status says, in the reader's language; null: it is unknown, or the word would repeat it. */
export function statusWord(status: string, { statuses }: Catalogue): string | null {
  if (!Object.hasOwn(statuses, status)) return null
  const word = statuses[status as keyof typeof statuses]
  return word.toLowerCase() === status.toLowerCase() ? null : word
}

/** The word, where one is known, with the status as the service writes it behind it. */
export function statusHtml(status: string, words: Catalogue): Html {
  const word = statusWord(status, words)
  const code = breakable(printable(status))
  return word === null ? html`${code}` : html`${word} <small>${code}</small>`
}

/** The same where there is only room for text. */
export function statusText(status: string, words: Catalogue): string {
  const word = statusWord(status, words)
  return word === null ? printable(status) : `${word} · ${printable(status)}`
}
