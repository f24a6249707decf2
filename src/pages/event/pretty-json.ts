import { endOfToken, isSpace } from '../../platform/json-tokens.ts'

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
  let before = ''
  for (let at = 0, end: number; at < json.length && result.length <= longest; at = end) {
    end = endOfToken(json, at)
    if (isSpace(json.charCodeAt(at))) continue
    const token = json.slice(at, end)
    if (token === '}' || token === ']') depth--
    if (before === '{' || before === '[' ? token !== '}' && token !== ']' : token === '}' || token === ']')
      result += line()
    if (before === ',') result += line()
    result += token === ':' ? ': ' : token
    if (token === '{' || token === '[') depth++
    before = token
  }
  return result
}
