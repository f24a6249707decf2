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

function ignore(): void {}
