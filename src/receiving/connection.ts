import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { RefusedCaller } from '../domain/refusal.ts'
import { pathOfTarget } from '../domain/routes.ts'
import { describePeerChain, peerCertificate } from '../tls/peer-certificate.ts'
import { addressOf } from '../tls/remote-address.ts'

export function requestAddress(request: IncomingMessage): string {
  return addressOf(request.socket)
}

/** The name that the caller asked for in the handshake; a plain connection has none. */
export function serverNameOf(socket: object): string | undefined {
  const { servername } = socket as { servername?: string | false | null }
  return typeof servername === 'string' && servername !== '' ? servername : undefined
}

/** What can be told of a caller that is refused on a connection that stands. */
export function describeConnection(socket: Socket): Pick<RefusedCaller, 'tlsVersion' | 'serverName' | 'chain'> {
  const known = { serverName: serverNameOf(socket) }
  // Asking a destroyed socket ends the whole process (a segmentation fault in Node 24): its TLS is gone.
  if (socket.destroyed || !('getPeerX509Certificate' in socket)) return known
  const tls = socket as TLSSocket
  return {
    ...known,
    tlsVersion: tls.getProtocol() ?? undefined,
    chain: describePeerChain(peerCertificate(tls)),
  }
}

/** No path of ours has such a segment: it may be a token that was sent to the wrong place. */
const LONG_SEGMENT = /[^/]{25,}/g

/** The path that a refused caller asked for, as it may be shown. */
export function shownPath(target: string): string {
  return pathOfTarget(target).replace(LONG_SEGMENT, (segment) => `${segment.slice(0, 4)}…`)
}
