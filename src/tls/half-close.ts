import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** A caller that sends no more (half-close) gets the answers to its complete requests; by default Node ends the connection at once. */
export function answerHalfClosed(server: Server): void {
  // Node has no constructor option for it.
  Object.assign(server, { httpAllowHalfOpen: true })
  // Only once the handshake has ended: before that, a caller that ends its side has hung up and its place is free at once.
  server.on('secureConnection', (socket: Socket) => {
    socket.allowHalfOpen = true
  })
}
