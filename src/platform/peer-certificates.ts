/**
 * The certificates of a TLS connection's far side, read in the only safe way. `getPeerCertificate` of Node 24 ends the process (a segmentation fault)
 * where a key is on a curve without a NIST name, such as secp256k1 or a brainpool curve. With `true` it reads every certificate that was sent,
 * and Node calls it so for each server that it trusts: a far side could choose a certificate that ends this process.
 */

import type { X509Certificate } from 'node:crypto'
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls'

/** Call before the handshake ends. Then Node reads names from the server certificate alone, by which it judges the server as before. */
export function readServerSafely(socket: TLSSocket): void {
  const read = socket.getPeerX509Certificate.bind(socket)
  let certificate: X509Certificate | undefined
  // A second reading would find nothing: Node removes the certificates from the connection.
  socket.getPeerX509Certificate = () => {
    certificate ??= read()
    return certificate
  }
  socket.getPeerCertificate = () => namesOf(socket.getPeerX509Certificate())
}

/** What `checkServerIdentity` of Node compares with the host. */
function namesOf(certificate: X509Certificate | undefined): DetailedPeerCertificate {
  const { subject = '', subjectAltName: subjectaltname } = certificate ?? {}
  // A line has the names that are one (`CN=host + OU=unit`); a plus sign or a line break in a name is escaped.
  const CN = subject.split(/\n| \+ /).flatMap((name) => (name.startsWith('CN=') ? name.slice(3) : []))
  return { subject: CN.length > 0 ? { CN } : {}, subjectaltname } as unknown as DetailedPeerCertificate
}

/** The certificates as they were sent: the certificate itself, then those that came with it. */
export function* sentCertificates(certificate: X509Certificate | undefined): Generator<X509Certificate> {
  for (let next = certificate; next !== undefined; next = next.issuerCertificate) yield next
}
