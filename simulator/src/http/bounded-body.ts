/** What one answer may have: the programs that are asked belong to others, and may send without an end. */
const LIMIT_BYTES = 64 * 1024 ** 2

/** Reads a body as text. Beyond the limit its stream is destroyed, and an error says so. */
export async function readBounded(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > LIMIT_BYTES) throw new Error(`its answer has more than ${LIMIT_BYTES / 1024 ** 2} MiB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
