import type { Catalogue } from '../../messages/catalogue.ts'
import { printable } from '../../platform/control-characters.ts'
import type { Option } from './fields.ts'
import { type Html, html } from './html.ts'

/** What a kind is, in the reader's language; null: it is unknown, or the word would repeat it. */
export function kindWord(kind: string, { kinds }: Catalogue): string | null {
  if (!Object.hasOwn(kinds, kind)) return null
  const word = kinds[kind as keyof typeof kinds]
  return word === kind ? null : word
}

/** The word, where one is known, with the kind as it is configured behind it. */
export function kindHtml(kind: string, words: Catalogue): Html {
  const word = kindWord(kind, words)
  return word === null ? html`${printable(kind)}` : html`${word} <small>${printable(kind)}</small>`
}

/** The same where there is only room for text. */
export function kindText(kind: string, words: Catalogue): string {
  const word = kindWord(kind, words)
  return word === null ? printable(kind) : `${word} · ${printable(kind)}`
}

/** For a select, and for boxes. */
export function kindOptions(kinds: readonly string[], words: Catalogue): readonly Option[] {
  return kinds.map((kind) => [kind, kindText(kind, words)])
}
