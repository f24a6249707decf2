import type { IncomingMessage } from 'node:http'

export type ReadBody = { readonly body: Buffer } | 'too large' | 'aborted'

/** How much more of a body that is too large is read and dropped, so that its caller sees the 413 and not a reset. */
const DRAIN_FACTOR = 8

/** The raw bytes, up to a limit; calls back once. Nothing is decoded. */
export function readBody(request: IncomingMessage, limitBytes: number, done: (read: ReadBody) => void): void {
  const chunks: Buffer[] = []
  let size = 0
  let settled = false

  function settle(read: ReadBody): void {
    if (settled) return
    settled = true
    done(read)
  }

  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= limitBytes) chunks.push(chunk)
    else settle('too large')
    if (size > limitBytes * DRAIN_FACTOR) request.socket.destroy()
  })
  request.on('end', () => settle({ body: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks) }))
  request.on('error', () => settle('aborted'))
  request.on('close', () => settle('aborted'))
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) settle('too large')
}
