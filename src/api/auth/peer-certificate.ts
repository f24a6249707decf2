import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'

const shown = new WeakMap<Socket, string>()

/** The listener's word, once for each connection: it was verified, and the caller has its key. `der`: the certificate itself. */
export function keepShownCertificate(socket: Socket, der: Uint8Array): void {
  shown.set(socket, createHash('sha256').update(der).digest('base64url'))
}

/** Thumbprint of the client certificate behind a connection, as `x5t#S256` of RFC 8705 section 3.1; null: none was shown. */
export function shownCertificate(socket: Socket): string | null {
  return shown.get(socket) ?? null
}

export const CERTIFICATE_EXPECTED =
  'a client certificate that api.clientCa vouches for is required here: show it with this request, and with the one for its token'
