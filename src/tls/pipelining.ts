import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Keeps every byte of a caller that sends requests without waiting for answers. Node 24 stops reading such a connection while many answers wait to be
 * sent. On TLS its parser then refuses the bytes that are decrypted already (`HPE_PAUSED`): they are lost, and good requests look like broken ones.
 */
export function keepPipelinedBytes(server: Server): void {
  const kept = new WeakSet<Socket>()
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    // A response has no socket before its turn. Bytes can wait only for another one's answer, so other connections keep the quick way.
    if (response.socket !== null || kept.has(socket)) return
    kept.add(socket)
    // Node's parser stops taking bytes from the connection itself when anyone else listens. From then on a stream keeps them while the parser pauses.
    socket.on('data', ignore).off('data', ignore)
  })
}

/**
 * Makes the answer to a request with an `Upgrade` header the last one of its connection. Node 24 drops what comes behind such a request in the same read,
 * and goes on in the middle of the next one, where the bytes of a body could pass for a request.
 */
export function endBehindUpgrades(server: Server): void {
  // Prepended, because a request may be answered at once.
  server.prependListener('request', ({ headers, socket }: IncomingMessage, response: ServerResponse) => {
    if (headers.upgrade === undefined) return
    response.shouldKeepAlive = false
    const { parser } = socket as { parser?: { onIncoming?: unknown } | null }
    if (parser) parser.onIncoming = ignore
  })
}

function ignore(): void {}
