import { X509Certificate } from 'node:crypto'
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls'
import type { PeerCertificateRecord } from '../domain/refusal.ts'
import { fingerprintOf, nameOnOneLine } from '../platform/certificate-identity.ts'

/** A stranger decides how long these are: what is kept of them is bounded. */
const CERTIFICATES = 8
const NAME_LENGTH = 200

const captured = new WeakMap<TLSSocket, X509Certificate>()

/**
 * Keeps the certificate of a verified caller until it is clear who it is, and answers for it when Node itself looks.
 * `getPeerX509Certificate` of Node 24 never gives the memory of a caller's chain back: kilobytes with every connection, of its own accord.
 */
export function captureCertificate(socket: TLSSocket): void {
  const certificate = certificateOf(socket)
  if (certificate === undefined) return
  captured.set(socket, certificate)
  const { _handle: handle } = socket as { _handle?: { getPeerX509Certificate?: () => unknown } | null }
  // Node only asks whether there is one. Where a later Node has no such handle it looks for itself.
  if (typeof handle?.getPeerX509Certificate !== 'function') return
  handle.getPeerX509Certificate = () => true
  socket.once('secure', () => delete handle.getPeerX509Certificate)
}

/** What a stranger made must not throw in an event of the socket: it counts as none, and Node looks for itself. */
function certificateOf(socket: TLSSocket): X509Certificate | undefined {
  try {
    return peerCertificate(socket)[0]
  } catch {
    return undefined
  }
}

/** Once for each connection, after its handshake. */
export function takeCertificate(socket: TLSSocket): X509Certificate | undefined {
  const certificate = captured.get(socket)
  captured.delete(socket)
  return certificate ?? socket.getPeerX509Certificate()
}

/** The caller's own certificate alone, in a list; an empty one where it showed none. */
export function peerCertificate(socket: TLSSocket): X509Certificate[] {
  // Unlike its newer sister this one makes copies, and frees them; without a certificate it gives an empty object.
  const { raw } = socket.getPeerCertificate() as { raw?: Buffer }
  return raw === undefined ? [] : [new X509Certificate(raw)]
}

/** What a caller showed, as far as it leads upwards; at its end certificates that are installed here may stand. */
export function peerChain(socket: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = []
  let current: Partial<DetailedPeerCertificate> | undefined = socket.getPeerCertificate(true)
  while (current?.raw !== undefined && chain.length < CERTIFICATES) {
    chain.push(new X509Certificate(current.raw))
    // A self-signed one is its own issuer.
    current = current.issuerCertificate === current ? undefined : current.issuerCertificate
  }
  return chain
}

export function describePeerChain(chain: readonly X509Certificate[]): PeerCertificateRecord[] {
  return chain.map((certificate) => ({
    subject: nameOnOneLine(certificate.subject, NAME_LENGTH),
    issuer: nameOnOneLine(certificate.issuer, NAME_LENGTH),
    fingerprint: fingerprintOf(certificate),
    notBefore: timeOrNull(certificate.validFrom),
    notAfter: timeOrNull(certificate.validTo),
  }))
}

function timeOrNull(text: string): number | null {
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : time
}
