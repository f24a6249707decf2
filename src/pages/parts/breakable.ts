import { type Html, html } from './html.ts'

/** A technical name or an address: a line may end after its dots, slashes and the like, so that no word is broken. */
export function breakable(text: string): Html {
  return html`${text.split(/(?<=[./_?&=,:@])(?=[^./_?&=,:@])/).map((part, index) => html`${index > 0 && html`<wbr>`}${part}`)}`
}
