/** How many characters of HTML a cut text has at most, so that a page stays small whatever it shows. */
const MOST = 40_000
/** Of the most frequent escape, `&quot;`. */
const ESCAPE = 6

export interface CutText {
  readonly text: string
  readonly isCut: boolean
}

/**
 * The beginning of a text that is at most 40,000 characters long when it is escaped for HTML.
 * @param visible makes control characters visible, of as much of the text as is shown: for a long text it takes too long. It never shortens a text
 */
export function cutText(text: string, visible: (text: string) => string, most = MOST): CutText {
  return cut(visible(text.slice(0, most + 1)), most)
}

function cut(text: string, most: number): CutText {
  if (text.length * ESCAPE <= most) return { text, isCut: false }
  let length = 0
  for (let at = 0; at < text.length; at++) {
    length += /[&<>"']/.test(text[at] as string) ? ESCAPE : 1
    if (length > most) return { text: text.slice(0, at).toWellFormed(), isCut: true }
  }
  return { text, isCut: false }
}
