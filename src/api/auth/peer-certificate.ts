import { createHash, type X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import { isPast } from '../../tls/peer-certificate.ts'

interface Kept {
  readonly thumbprint: string
  /** ms since 1970. */
  readonly notAfter: number
}

const kept = new WeakMap<Socket, Kept>()

/** Called by the listener once per connection, after TLS has verified the certificate and that the caller has its key. */
export function keepPeerCertificate(socket: Socket, { raw, validToDate }: X509Certificate): void {
  const thumbprint = createHash('sha256').update(raw).digest('base64url')
  kept.set(socket, { thumbprint, notAfter: validToDate.getTime() })
}

/** Thumbprint of the peer certificate of a connection, `x5t#S256` of RFC 8705 section 3.1; null: there is none, or it has expired meanwhile. */
export function peerThumbprintOf(socket: Socket): string | null {
  return hasPeerExpired(socket) ? null : (kept.get(socket)?.thumbprint ?? null)
}

/** Whether the connection was opened with a certificate that has expired meanwhile, so that a new handshake would fail. */
export function hasPeerExpired(socket: Socket): boolean {
  const certificate = kept.get(socket)
  return certificate !== undefined && isPast(certificate.notAfter)
}

export const CERTIFICATE_EXPECTED =
  'a client certificate trusted by api.clientCa is required: use it for this request, and for the token request'
