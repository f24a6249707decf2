import type { Server } from 'node:http'
import type { Socket } from 'node:net'

type ReportAuthenticated = (socket: Socket) => void

const reports = new WeakMap<Socket, ReportAuthenticated>()

/** Calls `report` with each connection of the server on which a caller authenticates by a token, a secret or a certificate. */
export function reportAuthenticated(server: Server, report: ReportAuthenticated): void {
  // Prepended: the peer certificate is checked in another listener of the same event.
  server.prependListener('setSecureContext' in server ? 'secureConnection' : 'connection', (socket: Socket) => {
    reports.set(socket, report)
  })
}

/** Reports that a caller has authenticated on this connection. */
export function connectionAuthenticated(socket: Socket): void {
  reports.get(socket)?.(socket)
}
