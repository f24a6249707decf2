import type { TLSSocket } from 'node:tls'
import type { Environment, Peer } from '../domain/event.ts'
import { issuerOfCaller, type Trust } from '../domain/trust.ts'
import type { Reason } from './refusal-reasons.ts'

/** Who a connection's caller is, decided once, after its handshake. */
export interface VerifiedCaller {
  readonly environment: Environment
  readonly peer: Peer
  readonly tlsVersion: string
  readonly cipher: string
  readonly remoteAddress: string
}

export type Identification = { readonly caller: VerifiedCaller } | { readonly refusal: Reason }

const PEER_CACHE_SIZE = 256

/**
 * Pins the issuer: OpenSSL has verified the chain up to an installed root, but a root may stand above both environments, and above
 * strangers. Only a caller whose certificate an installed issuing certificate signed is let in.
 */
export function createPeerIdentification(trust: Trust): (socket: TLSSocket) => Identification {
  const known = new Map<string, { environment: Environment; peer: Peer }>()

  return function identifyPeer(socket) {
    if (!socket.authorized)
      return { refusal: { code: 'invalid_certificate', rawCode: String(socket.authorizationError ?? 'not verified') } }
    const certificate = socket.getPeerX509Certificate()
    if (certificate === undefined) return { refusal: { code: 'no_certificate' } }
    let identity = known.get(certificate.fingerprint256)
    if (identity === undefined) {
      const issuer = issuerOfCaller(certificate, trust.issuing)
      if (typeof issuer === 'string') return { refusal: { code: issuer } }
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
