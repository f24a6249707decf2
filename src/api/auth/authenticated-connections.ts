import type { Server } from 'node:http'
import type { Socket } from 'node:net'

type ReportAuthenticated = (socket: Socket) => void

const reports = new WeakMap<Socket, ReportAuthenticated>()

/** From now on `report` is called with each connection of the server on which somebody authenticates: by a token, a secret or a certificate. */
export function reportAuthenticated(server: Server, report: ReportAuthenticated): void {
  // Prepended: a certificate is looked at as soon as the connection is there.
  server.prependListener('setSecureContext' in server ? 'secureConnection' : 'connection', (socket: Socket) => {
    reports.set(socket, report)
  })
}

/** Somebody has authenticated on this connection. */
export function connectionAuthenticated(socket: Socket): void {
  reports.get(socket)?.(socket)
}
