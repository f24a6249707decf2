import { isOfContext } from '../../src/messages/po.ts'
import { translationsOf } from '../../src/messages/say.ts'
import { KINDS } from '../../src/pages/parts/kind-word.ts'

/** Words of English sentences that are no Portuguese words, names or terms of the interface. */
export const ENGLISH =
  /(?<![\p{L}\d/.-])(?:the|is|are|was|were|of|and|with|for|from|this|that|has|have|had|not|which|its|to|by|or|cannot|must|may|will|be|been|it|in|on|at|says|than|then|every|without)(?![\p{L}\d/-])/iu

/** What may be English on every page: quotations, code, and what is never text. */
const QUOTED = /<(q|code|pre|script|style|textarea)\b[^>]*>.*?<\/\1>/gs

/** Texts and labels of a page outside of elements that are marked as English. */
export function textsOf(body: string): string[] {
  const own = withoutMarked(body.replaceAll(QUOTED, ''))
  const labels = [...own.matchAll(/ (?:aria-label|title|placeholder|alt|data-title)="([^"]*)"/g)].map(
    ([, text = '']) => text,
  )
  const texts = own.split(/<[^>]*>/)
  return [...texts, ...labels].map((text) => text.replaceAll(/\s+/g, ' ').trim()).filter((text) => text !== '')
}

/** English texts that no Portuguese one is like. */
const TEXTS = translationsOf('pt')
const OWN = new Set([...TEXTS].flatMap(([text, own]) => (isOfContext(text) || text === own ? [] : [text])))
for (const own of TEXTS.values()) if (typeof own === 'string') OWN.delete(own)
// Kinds stay as the service and the gateway write them, with a word beside.
for (const kind of Object.keys(KINDS)) OWN.delete(kind)

/** English texts, and texts with English words in them. */
export function englishIn(body: string): string[] {
  return textsOf(body).filter((text) => OWN.has(text) || ENGLISH.test(withoutStatus(text)))
}

/** Without elements that have `lang="en"` or `hreflang="en"`, and what is in them. */
function withoutMarked(body: string): string {
  let rest = body
  for (;;) {
    const start = /<(\w+)\b[^>]*\b(?:href)?lang="en"[^>]*>/.exec(rest)
    if (start === null) return rest
    const [, name = ''] = start
    const tags = new RegExp(`<(/?)${name}\\b[^>]*>`, 'g')
    tags.lastIndex = start.index
    let depth = 0
    let end = rest.length
    for (let tag = tags.exec(rest); tag !== null; tag = tags.exec(rest)) {
      depth += tag[1] === '/' ? -1 : 1
      if (depth > 0) continue
      end = tags.lastIndex
      break
    }
    rest = rest.slice(0, start.index) + rest.slice(end)
  }
}

/** A status stays as the service writes it, with a word beside it: `up_to_date: em dia`. */
function withoutStatus(text: string): string {
  return text.replace(/^\w+: /, '')
}
