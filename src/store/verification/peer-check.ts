import { X509Certificate } from 'node:crypto'
import type { Peer } from '../../domain/event.ts'
import { fingerprintOf } from '../../platform/certificate-identity.ts'

/** What differs between the columns of a peer and its certificate, in words; null: nothing. Event hashes cover only the fingerprint. */
export function peerFault(peer: Peer): string | null {
  return isAsItsCertificate(peer) ? null : `the certificate of the caller ${peer.fingerprint} was altered`
}

function isAsItsCertificate({ pem, ...peer }: Peer): boolean {
  const certificate = readCertificate(pem)
  return (
    certificate !== null &&
    peer.fingerprint === fingerprintOf(certificate) &&
    peer.serial === certificate.serialNumber &&
    peer.subject === (certificate.subject ?? '') &&
    peer.issuer === (certificate.issuer ?? '') &&
    peer.notAfter === Date.parse(certificate.validTo)
  )
}

function readCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem)
  } catch {
    return null
  }
}
