import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'

const thumbprints = new WeakMap<Socket, string>()

/** Called by the listener once per connection, after TLS has verified the certificate and that the caller has its key. */
export function keepPeerCertificate(socket: Socket, der: Uint8Array): void {
  thumbprints.set(socket, createHash('sha256').update(der).digest('base64url'))
}

/** Thumbprint of the peer certificate of a connection, `x5t#S256` of RFC 8705 section 3.1; null: there is none. */
export function peerThumbprintOf(socket: Socket): string | null {
  return thumbprints.get(socket) ?? null
}

export const CERTIFICATE_EXPECTED =
  'a client certificate trusted by api.clientCa is required: use it for this request, and for the token request'
