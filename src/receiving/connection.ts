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

/** The server name that the caller sent in the handshake (SNI); undefined on a plain connection. */
export function serverNameOf(socket: object): string | undefined {
  const { servername } = socket as { servername?: string | false | null }
  return typeof servername === 'string' && servername !== '' ? servername : undefined
}

/** Describes a refused caller on an established connection. */
export function describeConnection(socket: Socket): Pick<RefusedCaller, 'tlsVersion' | 'serverName' | 'chain'> {
  const known = { serverName: serverNameOf(socket) }
  // Reading TLS of a destroyed socket ends the process (a segmentation fault in Node 24).
  if (socket.destroyed || !('getPeerX509Certificate' in socket)) return known
  const tls = socket as TLSSocket
  return {
    ...known,
    tlsVersion: tls.getProtocol() ?? undefined,
    chain: describePeerChain(peerCertificate(tls)),
  }
}

/** No route has such a long segment: it may be a token that was sent to the wrong path. */
const LONG_SEGMENT = /[^/]{25,}/g

/** The path of a refused request, with possible tokens shortened. */
export function shownPath(target: string): string {
  return pathOfTarget(target).replace(LONG_SEGMENT, (segment) => `${segment.slice(0, 4)}…`)
}
