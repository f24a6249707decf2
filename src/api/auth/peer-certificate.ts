import { createHash, type X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import { CLIENT_NAME, INSTITUTION_NAME } from '../../domain/client.ts'
import { isPast } from '../../tls/peer-certificate.ts'

interface Kept {
  readonly thumbprint: string
  /** ms since 1970. */
  readonly notAfter: number
  /** The ids of the clients that it serves alone; null: it serves every client. */
  readonly clients: readonly string[] | null
}

const kept = new WeakMap<Socket, Kept>()

/** Called by the listener once per connection, after TLS has verified the certificate and that the caller has its key. */
export function keepPeerCertificate(socket: Socket, { raw, validToDate, subjectAltName }: X509Certificate): void {
  const thumbprint = createHash('sha256').update(raw).digest('base64url')
  kept.set(socket, { thumbprint, notAfter: validToDate.getTime(), clients: clientsIn(subjectAltName) })
}

/** Whether the peer certificate of a connection is for other clients alone, or for an institution. */
export function isOfAnotherClient(socket: Socket, id: string): boolean {
  const clients = kept.get(socket)?.clients ?? null
  return clients !== null && !clients.includes(id)
}

function clientsIn(alternativeNames: string | undefined): string[] | null {
  const names = alternativeNames?.split(', ') ?? []
  const prefix = `URI:${CLIENT_NAME}`
  const clients = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length))
  return clients.length > 0 || names.includes(`URI:${INSTITUTION_NAME}`) ? clients : null
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

export const OTHER_CLIENT =
  'the client certificate is that of another client or of an institution: use the one that was issued for this client'

export const CERTIFICATE_EXPECTED =
  'a client certificate trusted by api.clientCa is required: use it for this request, and for the token request'
