import { X509Certificate } from 'node:crypto'
import type { Peer } from '../../../domain/event.ts'
import { fingerprintOf } from '../../../platform/certificate-identity.ts'
import type { Connection } from '../database/connection.ts'

/** Reports peers whose columns differ from their certificate. Event hashes cover only the fingerprint. */
export function alteredPeers(db: Connection): string[] {
  const peers = db.prepare<[], Peer>(
    'select fingerprint, serial, subject, issuer, not_after as notAfter, pem from peers order by id',
  )
  const texts: string[] = []
  for (const peer of peers.iterate())
    if (!isAsItsCertificate(peer)) texts.push(`the certificate of the caller ${peer.fingerprint} was altered`)
  return texts
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
