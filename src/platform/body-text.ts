import { isUtf8 } from 'node:buffer'

/** The text of a body, and where its characters are in the bytes. */
export interface BodyText {
  /** Without the byte order mark. */
  readonly text: string
  readonly markBytes: number
  /** Bytes of a UTF-16 code unit; `utf8`: by its character. */
  readonly unitBytes: 1 | 2 | 'utf8'
}

/**
 * Reads a body by its byte order mark, as UTF-16 by the zero byte of its first character (RFC 4627 section 3), as UTF-8, or by the charset of
 * its content type, in this order. null: it is none of them, or the charset has characters of several bytes.
 */
export function readBodyText(body: Uint8Array, contentType: string | null): BodyText | null {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  const [first = 0, second = 0, third = 0] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return utf8Text(bytes, 3)
  if (first === 0xff && second === 0xfe) return decoded(bytes, 'utf-16le', 2)
  if (first === 0xfe && second === 0xff) return decoded(bytes, 'utf-16be', 2)
  if (isAscii(first) && second === 0 && bytes.length > 1) return decoded(bytes, 'utf-16le', 0)
  if (isAscii(second) && first === 0) return decoded(bytes, 'utf-16be', 0)
  return utf8Text(bytes, 0) ?? byCharset(bytes, contentType)
}

/** The body as people read it: bytes of no known charset become U+FFFD. */
export function shownText(body: Uint8Array, contentType: string | null): string {
  return readBodyText(body, contentType)?.text ?? Buffer.from(body).toString('utf8')
}

function isAscii(byte: number): boolean {
  return byte >= 0x09 && byte < 0x7f
}

function utf8Text(bytes: Buffer, markBytes: number): BodyText | null {
  if (!isUtf8(bytes)) return null
  return { text: bytes.toString('utf8', markBytes), markBytes, unitBytes: 'utf8' }
}

/** Names of the Encoding Standard for charsets of one byte a character. */
const SINGLE_BYTE = /^(windows-|iso-8859-|koi8-|ibm866|macintosh|x-mac-)/

/** The charset that a content type names. */
export function charsetOf(contentType: string | null): string | undefined {
  return /;\s*charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType ?? '')?.[1]
}

function byCharset(bytes: Buffer, contentType: string | null): BodyText | null {
  const label = charsetOf(contentType)
  return label === undefined ? null : decoded(bytes, label, 0)
}

function decoded(bytes: Buffer, label: string, markBytes: number): BodyText | null {
  try {
    const decoder = new TextDecoder(label, { fatal: true, ignoreBOM: true })
    const isUtf16 = decoder.encoding.startsWith('utf-16')
    if (!isUtf16 && !SINGLE_BYTE.test(decoder.encoding)) return null
    return { text: decoder.decode(bytes.subarray(markBytes)), markBytes, unitBytes: isUtf16 ? 2 : 1 }
  } catch {
    // An unknown charset, or bytes that are none of it.
    return null
  }
}

/** Turns positions in the UTF-8 form of the text into positions in the body. */
export function placesInBody({ text, markBytes, unitBytes }: BodyText): (position: number) => number {
  if (unitBytes === 'utf8') return (position) => position + markBytes
  const utf8 = Buffer.from(text)
  const unitsBefore = new Uint32Array(utf8.length + 1)
  for (const [index, byte] of utf8.entries()) {
    // The first byte of a character tells its length; four bytes are two code units.
    const units = (byte & 0xc0) === 0x80 ? 0 : byte >= 0xf0 ? 2 : 1
    unitsBefore[index + 1] = (unitsBefore[index] as number) + units
  }
  return (position) => markBytes + unitBytes * (unitsBefore[position] as number)
}
