const INDENT = '  '
/** Deeper levels are not indented further: a payload may be nested thousands of levels deep. */
const DEEPEST_INDENT = 40

/**
 * JSON text with one value a line. Numbers and strings keep their text (`150.10` stays `150.10`).
 * @param json text that `JSON.parse` accepts
 * @param longest stops when the result has so many characters
 */
export function prettyJson(json: string, longest: number): string {
  let result = ''
  let depth = 0
  const line = () => `\n${INDENT.repeat(Math.min(depth, DEEPEST_INDENT))}`
  // Strings, punctuation, and other scalars; white space is left out.
  const tokens = json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)
  let before = ''
  for (const [token] of tokens) {
    if (token === '}' || token === ']') depth--
    if (before === '{' || before === '[' ? token !== '}' && token !== ']' : token === '}' || token === ']')
      result += line()
    if (before === ',') result += line()
    result += token === ':' ? ': ' : token
    if (token === '{' || token === '[') depth++
    before = token
    if (result.length > longest) break
  }
  return result
}
