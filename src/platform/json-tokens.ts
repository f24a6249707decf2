/** Cuts JSON text into tokens. */

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const BRACKETS: readonly number[] = [0x5b, 0x5d, 0x7b, 0x7d]

export function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

/** White space, commas and colons. */
export function isBetween(code: number): boolean {
  return isSpace(code) || code === COMMA || code === COLON
}

/**
 * The exclusive end of the token that begins there: a bracket, a string, another scalar, or one character between them. Not by a regular expression,
 * whose stack a long string could exhaust.
 */
export function endOfToken(text: string, start: number): number {
  const first = text.charCodeAt(start)
  if (BRACKETS.includes(first) || isBetween(first)) return start + 1
  let at = start + 1
  if (first === QUOTE) {
    while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
    return at + 1
  }
  while (at < text.length && !isBetween(text.charCodeAt(at)) && !BRACKETS.includes(text.charCodeAt(at))) at++
  return at
}
