import { type Html, html } from './html.ts'

/** Characters of a longer word after which a line may end: it would make a table wider than the page. */
const LONGEST = 16

/** A technical name or an address: a line may end after its dots, slashes and the like, so that no word is broken. */
export function breakable(text: string): Html {
  return html`${partsOf(text).map((part, index) => html`${index > 0 && html`<wbr>`}${part}`)}`
}

function partsOf(text: string): string[] {
  return text.split(/(?<=[./_?&=,:@])(?=[^./_?&=,:@])/).flatMap((part) => part.match(PIECES) ?? [])
}

const PIECES = new RegExp(`.{1,${LONGEST}}`, 'gsu')
