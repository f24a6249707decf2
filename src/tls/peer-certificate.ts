/**
 * Node calls `getPeerX509Certificate` for every verified caller, and Node 24 never frees the chain that it returns on a
 * server: kilobytes for each connection. Reading the certificate in another way, and answering in Node's place, avoids
 * the leak.
 */

import { X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import type { PeerCertificateRecord } from '../domain/refusal.ts'
import { fingerprintOf, nameOnOneLine } from '../platform/certificate-identity.ts'
import { subjectIdentifiers } from '../platform/certificate-subject.ts'
import { sentCertificates } from '../platform/peer-certificates.ts'

/** Limits, because an untrusted caller chooses these lengths. */
const CERTIFICATES = 8
const NAME_LENGTH = 200

/** Left of them. Enough for some hundred callers with a common chain. */
let bytesToRead = 1024 * 1024

const captured = new WeakMap<TLSSocket, X509Certificate>()

/**
 * Keeps the certificate of a verified caller until it is identified, and prevents Node from reading it again: `getPeerX509Certificate` of Node 24,
 * which Node calls for every connection, never frees the memory of the caller's chain (kilobytes).
 */
export function captureCertificate(socket: TLSSocket): void {
  const certificate = certificateOf(socket)
  if (certificate === undefined) return
  captured.set(socket, certificate)
  const handle = handleOf(socket)
  // Node only checks whether there is a certificate. Where a later Node has no such handle, Node reads it.
  if (typeof handle?.getPeerX509Certificate !== 'function') return
  handle.getPeerX509Certificate = () => true
  socket.once('secure', () => delete handle.getPeerX509Certificate)
}

function handleOf(socket: TLSSocket) {
  return (socket as { _handle?: { getPeerX509Certificate?: () => unknown } | null })._handle
}

/** A malformed certificate must not throw in an event of the socket. It counts as none, and Node reads it. */
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

/** The caller's certificate without its chain; empty where it showed none. */
export function peerCertificate(socket: TLSSocket): X509Certificate[] {
  // Unlike `getPeerX509Certificate`, it frees its copies. Without a certificate it returns an empty object.
  const { raw } = socket.getPeerCertificate() as { raw?: Buffer }
  return raw === undefined ? [] : [new X509Certificate(raw)]
}

/**
 * The caller's certificate and those that it sent with it, in the order sent. Node never frees the memory of those, about eight times their
 * size. So only some are read in the life of the process, and then the caller's own alone.
 */
export function peerChain(socket: TLSSocket): X509Certificate[] {
  const own = peerCertificate(socket)
  if (bytesToRead <= 0) return own
  delete handleOf(socket)?.getPeerX509Certificate
  const chain: X509Certificate[] = []
  for (const certificate of sentCertificates(socket.getPeerX509Certificate())) {
    bytesToRead -= certificate.raw.length
    if (chain.length < CERTIFICATES) chain.push(certificate)
  }
  return chain.length === 0 ? own : chain
}

export function describePeerChain(chain: readonly X509Certificate[]): PeerCertificateRecord[] {
  return chain.map((certificate) => {
    const identifiers = subjectIdentifiers(certificate)
    return {
      subject: nameOnOneLine(certificate.subject, NAME_LENGTH),
      issuer: nameOnOneLine(certificate.issuer, NAME_LENGTH),
      fingerprint: fingerprintOf(certificate),
      notBefore: timeOrNull(certificate.validFrom),
      notAfter: timeOrNull(certificate.validTo),
      ...(identifiers !== null && { identifiers }),
    }
  })
}

/** Whether TLS would refuse a certificate with this end (ms since 1970) now: by its clock, and OpenSSL counts the end itself as expired. */
export function isPast(notAfter: number): boolean {
  return Date.now() >= notAfter
}

function timeOrNull(text: string): number | null {
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : time
}
