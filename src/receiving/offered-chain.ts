import { X509Certificate } from 'node:crypto'
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls'
import type { OfferedCertificate } from '../domain/refusal.ts'

/** A stranger decides how long these are: what is kept of them is bounded. */
const CERTIFICATES = 8
const NAME_LENGTH = 200

const captured = new WeakMap<TLSSocket, X509Certificate>()

/**
 * Keeps what a verified caller showed until it is clear who it is: the chain can be had once only, and Node itself takes it when the
 * handshake ends. (It loses the memory of each certificate of that chain; nobody should be able to make it do so whom OpenSSL has not verified.)
 */
export function captureCertificate(socket: TLSSocket): void {
  const certificate = socket.getPeerX509Certificate()
  if (certificate !== undefined) captured.set(socket, certificate)
}

export function forgetCertificate(socket: TLSSocket): void {
  captured.delete(socket)
}

/** What a caller that OpenSSL verified showed: its certificate and, until it is forgotten, what it sent behind it. */
export function chainOfVerified(socket: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = []
  let current = captured.get(socket) ?? socket.getPeerX509Certificate()
  for (; current !== undefined && chain.length < CERTIFICATES; current = current.issuerCertificate) chain.push(current)
  return chain
}

/** What any other caller showed, as far as it leads upwards; at its end certificates that are installed here may stand. */
export function chainOfUnverified(socket: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = []
  // Unlike its newer sister this one makes copies, and frees them; without a certificate it gives an empty object.
  let current: Partial<DetailedPeerCertificate> | undefined = socket.getPeerCertificate(true)
  while (current?.raw !== undefined && chain.length < CERTIFICATES) {
    chain.push(new X509Certificate(current.raw))
    // A self-signed one is its own issuer.
    current = current.issuerCertificate === current ? undefined : current.issuerCertificate
  }
  return chain
}

export function describeChain(chain: readonly X509Certificate[]): OfferedCertificate[] {
  return chain.map((certificate) => ({
    subject: oneLine(certificate.subject),
    issuer: oneLine(certificate.issuer),
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    notBefore: timeOrNull(certificate.validFrom),
    notAfter: timeOrNull(certificate.validTo),
  }))
}

function timeOrNull(text: string): number | null {
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : time
}

/** Node writes names over several lines, and an empty one as undefined. */
function oneLine(name: string | undefined): string {
  return (name ?? '').trim().replaceAll('\n', ', ').slice(0, NAME_LENGTH)
}
