/** Characters that come with text copied from a page or a word processor, and look like a space, a quote or nothing. */
const KINDS: readonly { readonly found: RegExp; readonly words: string }[] = [
  { found: /\u00a0|\u202f/g, words: 'non-breaking spaces' },
  { found: /[\u0085\u1680\u2000-\u200a\u2028\u2029\u205f\u3000]/g, words: 'spaces that are none in YAML' },
  { found: /[\u00ad\u200b-\u200f\u2060\ufeff]/g, words: 'characters without width' },
  { found: /[“”„‟‘’‚‛«»]/g, words: 'typographic quotes' },
]
const INVISIBLE = '[\\u0085\\u00a0\\u00ad\\u1680\\u2000-\\u200f\\u2028\\u2029\\u202f\\u205f\\u2060\\u3000\\ufeff]'
const QUOTE = '[“”„‟‘’‚‛«»]'
/** In the indentation or a key, before or behind a value. */
const MISPLACED = new RegExp(`^[^"'#:]*${INVISIBLE}|[:-] *${INVISIBLE}|${INVISIBLE}\\s*$|[:-] *${QUOTE}|^\\s*${QUOTE}`)
const AROUND = new RegExp(`^(?:${INVISIBLE}|${QUOTE})|[\\u200b-\\u200f\\u2060\\ufeff]|(?:${INVISIBLE}|${QUOTE})$`)
const SHOWN_LINES = 10

/** Whether a value begins or ends with such a character, or holds one without width. */
export function isCopied(value: string): boolean {
  return AROUND.test(value)
}

/** One mistake for each kind of such characters, with its lines: `lines 5, 6: non-breaking spaces (U+00A0) …`. Comments are left out. */
export function copiedCharactersIn(text: string): string[] {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => !/^\s*#/.test(line) && MISPLACED.test(line))
  return KINDS.flatMap(({ found, words }) => {
    const numbers = lines.filter(({ line }) => line.search(found) !== -1).map(({ number }) => number)
    if (numbers.length === 0) return []
    const codes = new Set(lines.flatMap(({ line }) => line.match(found) ?? []).map(codeOf))
    const more = numbers.length > SHOWN_LINES ? ' and more' : ''
    const where = `${numbers.length === 1 ? 'line' : 'lines'} ${numbers.slice(0, SHOWN_LINES).join(', ')}${more}`
    return `${where}: ${words} (${[...codes].join(', ')}), as in text that was copied from a page: type ordinary spaces and quotes`
  })
}

function codeOf(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
}
