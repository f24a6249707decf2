/** Unicode's control and format characters and line separators: they control terminals, change the text direction or are invisible. */
const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
/** Without those below U+0020, which are line ends between JSON texts or escaped already. */
const CONTROL_IN_JSON = /(?![\0-\x1f])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Untrusted text (names, subjects, answers) with such characters as `\u` and their number. */
export function printable(text: string): string {
  return text.replace(CONTROL, escaped)
}

/** The same for JSON text, where such characters are only in strings, so the parsed value stays the same. */
export function printableJson(json: string): string {
  return json.replace(CONTROL_IN_JSON, escaped)
}

/** Untrusted text for excerpts: such characters as U+FFFD. White space has to be replaced before. */
export function withoutControlCharacters(text: string): string {
  return text.replace(CONTROL, '\u{fffd}')
}

/** Two escapes beyond U+FFFF, as in JSON. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}
