import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** A caller that ends its side (half-close) still gets the answers to its complete requests. By default Node closes the connection at once. */
export function answerHalfClosed(server: Server): void {
  // Node has no constructor option for it.
  Object.assign(server, { httpAllowHalfOpen: true })
  // Only after the handshake: a caller that ends its side before has hung up, and its place must become free at once.
  server.on('secureConnection', (socket: Socket) => {
    socket.allowHalfOpen = true
  })
}
