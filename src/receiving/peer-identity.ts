import type { TLSSocket } from 'node:tls'
import type { Environment, Peer } from '../domain/event.ts'
import type { Trust } from '../domain/trust.ts'

/** Who a connection's caller is, decided once, after its handshake. */
export interface VerifiedCaller {
  readonly environment: Environment
  readonly peer: Peer
  readonly tlsVersion: string
  readonly cipher: string
  readonly remoteAddress: string
}

export type Identification = { readonly caller: VerifiedCaller } | { readonly refusal: string }

const PEER_CACHE_SIZE = 256

/**
 * Pins the issuer: OpenSSL has verified the chain up to an installed root, but a root may stand above both environments, and above
 * strangers. Only a caller whose certificate an installed issuing certificate signed is let in.
 */
export function createPeerIdentification(trust: Trust): (socket: TLSSocket) => Identification {
  const known = new Map<string, { environment: Environment; peer: Peer }>()

  return function identifyPeer(socket) {
    if (!socket.authorized)
      return { refusal: `the certificate was not verified: ${String(socket.authorizationError ?? 'unknown reason')}` }
    const certificate = socket.getPeerX509Certificate()
    if (certificate === undefined) return { refusal: 'no client certificate' }
    let identity = known.get(certificate.fingerprint256)
    if (identity === undefined) {
      // A CA certificate is never itself a caller.
      if (certificate.ca) return { refusal: 'a CA certificate is not a caller' }
      const issuer = trust.issuing.find(
        (c) => certificate.checkIssued(c.certificate) && certificate.verify(c.certificate.publicKey),
      )
      if (issuer === undefined)
        return { refusal: 'issued by no installed issuing certificate (sibling issuer under an installed root)' }
      identity = {
        environment: issuer.environment,
        peer: {
          fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
          serial: certificate.serialNumber,
          subject: certificate.subject ?? '',
          issuer: certificate.issuer ?? '',
          notAfter: Date.parse(certificate.validTo),
          pem: certificate.toString(),
        },
      }
      if (known.size >= PEER_CACHE_SIZE) known.clear()
      known.set(certificate.fingerprint256, identity)
    }
    return {
      caller: {
        ...identity,
        tlsVersion: socket.getProtocol() ?? 'unknown',
        cipher: socket.getCipher().name,
        remoteAddress: socket.remoteAddress ?? 'unknown',
      },
    }
  }
}
