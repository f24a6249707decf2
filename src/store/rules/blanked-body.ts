import type { EventSource, FactSpan } from '../../domain/event.ts'

type ItemSpan = Pick<FactSpan, 'itemStart' | 'itemEnd'>

/** The data of a fact in the body of its callback, or, of a resolved event, in its own. */
export interface Place {
  readonly callbackId: number
  readonly source: EventSource | null
  /** null: all of it. */
  readonly span: ItemSpan | null
}

/** A body without the data at these places. Other facts keep their places and bytes. */
export function blankedBody(body: Uint8Array, places: readonly Place[]): Buffer {
  // The facts that are left have bodies of their own: the token was resolved later.
  if (places.some(({ source }) => source === 'unresolved')) return Buffer.alloc(0)
  const blanked = Buffer.from(body)
  for (const { span } of places) if (span !== null) blank(blanked, span)
  return blanked
}

/** Writes an empty JSON object and spaces. A single character can only be a digit, and becomes a zero. */
function blank(body: Buffer, { itemStart, itemEnd }: ItemSpan): void {
  const bytes = itemEnd - itemStart
  // The first character of a JSON value is of ASCII, so a zero byte is half of it in UTF-16.
  const isBigEndian = body[itemStart] === 0
  const isUtf16 = bytes > 1 && (isBigEndian || body[itemStart + 1] === 0)
  const length = isUtf16 ? bytes / 2 : bytes
  const text = length < 2 ? '0'.repeat(length) : '{}'.padEnd(length)
  const blanked = Buffer.from(text, isUtf16 ? 'utf16le' : 'latin1')
  body.set(isUtf16 && isBigEndian ? blanked.swap16() : blanked, itemStart)
}
