import { isUtf8 } from 'node:buffer'

/**
 * Finds the positions of values in JSON text, so that members and numbers can be copied unchanged (`150.10` stays `150.10`).
 * Every function except `isJson` and `isJsonText` needs bytes that `JSON.parse` has accepted as UTF-8 JSON; for others the spans are meaningless.
 */

export interface Span {
  readonly start: number
  readonly end: number
}

/** Whether the bytes are one JSON value in UTF-8, without a byte order mark (RFC 8259). */
export function isJson(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && isJsonText(textOf(bytes, { start: 0, end: bytes.length }))
}

export function isJsonText(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    // The caller decides what else it is.
    return false
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const COMMA = 0x2c
const COLON = 0x3a

/** Reference tokens of a JSON Pointer (RFC 6901 section 4). '' has none: the whole document. */
export function parsePointer(pointer: string): string[] {
  if (pointer === '') return []
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Pointers of a fact as pointers of its callback: into the elements of the arrays, and into an object in place of an array. */
export function pointersInFacts(arrays: readonly string[], pointers: readonly string[]): string[] {
  return arrays.flatMap((array) => pointers.flatMap((pointer) => [`${array}/*${pointer}`, `${array}${pointer}`]))
}

/** The span of the value at the pointer inside `within`, or null. The last of equal member names counts, as in JSON.parse. */
export function locate(bytes: Uint8Array, within: Span, tokens: readonly string[]): Span | null {
  let span: Span | null = trimSpan(bytes, within)
  for (const token of tokens) {
    if (span === null) return null
    span = bytes[span.start] === OPEN_BRACE ? memberOf(bytes, span, token) : elementOf(bytes, span, token)
  }
  return span
}

export function isArrayAt(bytes: Uint8Array, span: Span): boolean {
  return bytes[span.start] === OPEN_BRACKET
}

/** Spans of an array's elements, without the white space around them; stops after `limit` of them. */
export function elementsOf(bytes: Uint8Array, array: Span, limit = Number.POSITIVE_INFINITY): Span[] {
  const elements: Span[] = []
  let at = skipSpace(bytes, array.start + 1)
  while (at < array.end - 1 && elements.length < limit) {
    const end = endOfValue(bytes, at)
    elements.push({ start: at, end })
    at = skipSpace(bytes, end)
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1)
  }
  return elements
}

function memberOf(bytes: Uint8Array, object: Span, name: string): Span | null {
  let found: Span | null = null
  let at = skipSpace(bytes, object.start + 1)
  while (bytes[at] === QUOTE) {
    const keyEnd = endOfString(bytes, at)
    const start = skipSpace(bytes, skipColon(bytes, keyEnd))
    const end = endOfValue(bytes, start)
    if (isNamed(bytes, { start: at, end: keyEnd }, name)) found = { start, end }
    at = skipSpace(bytes, end)
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1)
  }
  return found
}

/** Compares lengths first, because escapes only make a name longer. */
function isNamed(bytes: Uint8Array, key: Span, name: string): boolean {
  const length = key.end - key.start - 2
  if (length < name.length) return false
  const isEscaped = bytes.subarray(key.start, key.end).includes(BACKSLASH)
  // A UTF-16 code unit takes at most three bytes.
  if (!isEscaped && length > name.length * 3) return false
  const text = textOf(bytes, key)
  return (isEscaped ? JSON.parse(text) : text.slice(1, -1)) === name
}

function elementOf(bytes: Uint8Array, span: Span, token: string): Span | null {
  if (!isArrayAt(bytes, span) || !/^(0|[1-9][0-9]{0,8})$/.test(token)) return null
  const index = Number(token)
  return elementsOf(bytes, span, index + 1)[index] ?? null
}

export function textOf(bytes: Uint8Array, span: Span): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + span.start, span.end - span.start).toString('utf8')
}

function trimSpan(bytes: Uint8Array, { start, end }: Span): Span {
  const from = skipSpace(bytes, start)
  let to = end
  while (to > from && isSpace(bytes[to - 1])) to--
  return { start: from, end: to }
}

/** The exclusive end of the value at `at`. Iterative, so that depth costs no stack. */
function endOfValue(bytes: Uint8Array, at: number): number {
  const first = bytes[at]
  if (first === QUOTE) return endOfString(bytes, at)
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return endOfScalar(bytes, at)
  let depth = 0
  for (let i = at; i < bytes.length; i++) {
    const byte = bytes[i]
    if (byte === QUOTE) i = endOfString(bytes, i) - 1
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
    else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return i + 1
  }
  return bytes.length
}

function endOfString(bytes: Uint8Array, at: number): number {
  let i = at + 1
  while (i < bytes.length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1
  return i + 1
}

function endOfScalar(bytes: Uint8Array, at: number): number {
  let i = at
  while (
    i < bytes.length &&
    !isSpace(bytes[i]) &&
    bytes[i] !== COMMA &&
    bytes[i] !== CLOSE_BRACE &&
    bytes[i] !== CLOSE_BRACKET
  )
    i++
  return i
}

function skipColon(bytes: Uint8Array, at: number): number {
  const colon = skipSpace(bytes, at)
  return bytes[colon] === COLON ? colon + 1 : colon
}

function skipSpace(bytes: Uint8Array, at: number): number {
  let i = at
  while (i < bytes.length && isSpace(bytes[i])) i++
  return i
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}
