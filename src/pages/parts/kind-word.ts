import { inContext, type Said, say } from '../../messages/say.ts'
import type { Speaker } from '../../messages/speaker.ts'
import { printable } from '../../platform/control-characters.ts'
import type { Option } from './fields.ts'
import { type Html, html } from './html.ts'

/** Known kinds in words: those of the service's documents, and the gateway's own. A kind is shown as it is configured, with its word beside. */
export const KINDS: Readonly<Record<string, Said>> = {
  registration: say`account opening`,
  payment: inContext('kind', say`payment`),
  charge: say`charge`,
  openBanking: say`open-banking payment`,
  'open-banking': say`open-banking payment`,
  instantPayment: say`Pix`,
  'instant-payment': say`Pix`,
  probe: say`test call of the service`,
  operator: say`message of the gateway`,
}

/** What a kind is, in the reader's language; null: it is unknown, or the word would repeat it. */
export function kindWord(kind: string, t: Speaker): string | null {
  const word = t.at(KINDS, kind)
  return word === kind ? null : word
}

/** The word, where one is known, with the kind as it is configured behind it. */
export function kindHtml(kind: string, t: Speaker): Html {
  const word = kindWord(kind, t)
  return word === null ? html`${printable(kind)}` : html`${word} <small>${printable(kind)}</small>`
}

/** The same where there is only room for text. */
export function kindText(kind: string, t: Speaker): string {
  const word = kindWord(kind, t)
  return word === null ? printable(kind) : `${word} · ${printable(kind)}`
}

/** For a select, and for boxes. */
export function kindOptions(kinds: readonly string[], t: Speaker): readonly Option[] {
  return kinds.map((kind) => [kind, kindText(kind, t)])
}
