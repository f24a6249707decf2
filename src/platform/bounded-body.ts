/** An answer without an end, or one that is too large to be what was asked for. */
export class BodyTooLarge extends Error {
  constructor(limitBytes: number) {
    super(`the answer has more than ${limitBytes / 1024 ** 2} MiB`)
  }
}

/** What commands take of one answer. The largest one is a page of events, whose size the gateway bounds. */
const LIMIT_BYTES = 64 * 1024 ** 2

/** Reads a body to its end. Beyond the limit its stream is destroyed. @throws BodyTooLarge, and what the stream fails with */
export async function readBounded(body: AsyncIterable<Uint8Array>, limitBytes = LIMIT_BYTES): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > limitBytes) throw new BodyTooLarge(limitBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
