/** What steers a terminal, turns the direction of a line or is not seen at all: Unicode's control and format characters, and its line separators. */
const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
/** In JSON text those below U+0020 are line ends between two texts, or escaped already. */
const CONTROL_IN_JSON = /(?![\0-\x1f])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** What strangers wrote (names, subjects, answers), each such character as `\u` and its number. */
export function printable(text: string): string {
  return text.replace(CONTROL, escaped)
}

/** The same in JSON text, where such characters can only stand in strings: what is read from it stays the same. */
export function printableJson(json: string): string {
  return json.replace(CONTROL_IN_JSON, escaped)
}

/** Beyond U+FFFF two of them, as in JSON. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}
